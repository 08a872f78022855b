import { pick, type Row } from "./kinds.ts";
import type { State } from "./state.ts";
import { by, fold } from "./text.ts";
import { endOf } from "./time.ts";

// Both coupon lists (docs/contract/interface.md, 4.4, 4.5 and 5).

const LISTS = ["store", "mfg", "digital"];
const MAILER_FIELDS = ["domain", "secret", "endpoint", "username", "password", "from_email", "from_name"];

/** The account object in coupon lists. Search results have another form. */
export function accountObject(state: State, id: unknown, { inSearch = false, withLogo = false } = {}): Row {
  const row = state.find("account", id) ?? {};
  const { agreement_type, core_tenant_id, core_app_account_id, loyalty_options: options, ...account } = row;
  if (inSearch) return { ...account, agreement_type };
  const mailer = Object.fromEntries(MAILER_FIELDS.map((name) => [`mailer_${name}`, ""]));
  const loyalty_options = options && { ...options, ...mailer, chain_logo: withLogo ? options.chain_logo : "" };
  return { ...account, core_tenant_id, core_app_account_id, loyalty_options };
}

/** A coupon, its issue to a customer and the store, with their ends in UTC. A digital coupon has no issue and no store. */
function entryOf(coupon: Row, issued: Row = {}, store: Row = {}): Row {
  const expiration_date = endOf(coupon.expiration_date, coupon.time_zone);
  const expected_end_date = endOf(issued.expected_end_date ?? null, issued.time_zone);
  const ends = [expected_end_date, coupon.can_expire === 1 ? expiration_date : null].filter((end) => end !== null);
  return {
    ...{ coupon: { ...coupon, expiration_date }, issued: { ...issued, expected_end_date }, store },
    ...{ list: LISTS.indexOf(coupon.kind), end: ends.sort()[0] ?? "never" },
    ...pick({ ...coupon, ...issued }, "created_at id"),
  };
}

/** The valid coupons of a customer, in the order of the lists. */
function validCoupons(state: State, caller: string, now: string): Row[] {
  const joinedAccounts = new Set(state.joinedStores(caller).map(({ account_id }) => account_id));
  const digitalCoupons = [...joinedAccounts].flatMap((id) =>
    state.allShown("coupon", { kind: "digital", account_id: id }),
  );
  const issuedCoupons = state
    .all("customer_coupon", { customer_id: caller, deleted_at: null })
    .filter(({ usage_count, total_count }) => usage_count < total_count)
    .flatMap((issued) => {
      const [coupon, store] = [state.shown("coupon", issued.campaign_coupon_id), state.shown("store", issued.store_id)];
      return coupon && store ? [entryOf(coupon, issued, store)] : [];
    });
  return [...issuedCoupons, ...digitalCoupons.map((coupon) => entryOf(coupon))]
    .filter(({ end }) => end >= now)
    .sort(by("list", "end", "-created_at", "id"));
}

/** Whether a text is in the coupon's name, one of its lines, the account's company or the chain's name. */
function containsText(state: State, { name, header_lines, text_lines, account_id }: Row, search = ""): boolean {
  const { company, loyalty_options } = state.find("account", account_id) ?? {};
  const texts = [name, ...header_lines, ...text_lines, company, loyalty_options?.chain_display_name ?? ""];
  return texts.some((text) => fold(String(text)).includes(fold(search)));
}

/** The fields that a coupon has in every list. */
const SHARED =
  "account_id name type value header_lines text_lines can_expire expiration_type expiration_date expiration once_per_sale";

/** In a coupon record, a missing campaign is an empty text, and the barcode is a number. */
const campaignAndBarcode = ({ campaign_id, coupon_barcode }: Row): Row => ({
  campaign_id: campaign_id ?? "",
  coupon_barcode: Number(coupon_barcode),
});

/** A coupon record in its shortest form. */
const couponRecord = ({ coupon, issued, store }: Row): Row => ({
  ...pick(
    issued,
    "id customer_id campaign_coupon_id expected_end_date creation_method created_at updated_at deleted_at",
  ),
  ...pick(coupon, SHARED),
  ...campaignAndBarcode(coupon),
  ...pick(issued, "total_count usage_count"),
  store_name: store.name,
  store_image: store.store_image,
  campaign_coupon_created: coupon.created_at,
  remaining_count: issued.total_count - issued.usage_count,
});

const detailedRecord = (state: State, entry: Row, withLogo = false): Row => ({
  ...couponRecord(entry),
  ...pick(entry.issued, "coupon_id reserved"),
  account: accountObject(state, entry.coupon.account_id, { withLogo }),
});

const campaignCoupon = ({ coupon }: Row): Row => ({
  ...pick(coupon, `id source_campaign_id filter_items ${SHARED}`),
  ...campaignAndBarcode(coupon),
});

const digitalCoupon = (state: State, { coupon }: Row): Row => ({
  account: accountObject(state, coupon.account_id),
  coupon: { ...pick(coupon, `id coupon_barcode is_custom can_combine_with_other created_at ${SHARED}`), is_digital: 1 },
});

/** The answer's items of `/coupons`; null: there is no coupon. */
export function couponList(state: State, caller: string, parameters: Row, now: string): Row | Row[] | null {
  const { includemfg, include_images, search, type, accountId } = parameters;
  const found = validCoupons(state, caller, now)
    .filter(({ coupon: { kind } }) => kind === "store" || (includemfg && kind === "mfg"))
    .filter(({ coupon }) => type === undefined || fold(coupon.type) === fold(type))
    .filter(({ coupon }) => accountId === undefined || coupon.account_id === accountId)
    .filter(({ coupon }) => containsText(state, coupon, search))
    .slice(0, 1_000);
  if (found.length === 0) return null;
  if (!includemfg) return found.map(couponRecord);
  const recordsOf = (kind: string) =>
    found
      .filter(({ coupon }) => coupon.kind === kind)
      .map((entry) => ({ ...detailedRecord(state, entry, include_images), campaign_coupon: campaignCoupon(entry) }));
  return { stores: recordsOf("store"), mfg: recordsOf("mfg") };
}

/** The coupons of `/my-coupons`, each with the name of its list: store, mfg or digital. */
export function combinedCoupons(state: State, caller: string, parameters: Row, now: string): Row[] {
  const { digitalonly, search, type, storeId, includemfg } = parameters;
  const accounts = storeId.flatMap((id: string) => state.shown("store", id)?.account_id ?? []);
  const isAtStores = ({ coupon, store }: Row) =>
    coupon.kind === "digital" ? accounts.includes(coupon.account_id) : storeId.includes(store.id);
  return validCoupons(state, caller, now)
    .filter(({ coupon: { kind } }) => (!digitalonly || kind === "digital") && (type === undefined || kind === type))
    .filter(({ coupon }) => (includemfg || coupon.kind !== "mfg") && containsText(state, coupon, search))
    .filter((entry) => storeId.length === 0 || isAtStores(entry))
    .map((entry) => {
      const list = entry.coupon.kind;
      return { list, record: list === "digital" ? digitalCoupon(state, entry) : detailedRecord(state, entry) };
    });
}

import { emptyTexts, pick, type Row } from "./kinds.ts";
import type { State } from "./state.ts";
import { by, fold } from "./text.ts";
import { endOf } from "./time.ts";

// Both coupon lists (docs/contract/interface.md, 4.4, 4.5 and 5).

const COUPON_KINDS = ["store", "mfg", "digital"];
const LISTED_COUPONS = 5_000;
const MAILER_FIELDS =
  "mailer_domain mailer_secret mailer_endpoint mailer_username mailer_password mailer_from_email mailer_from_name";

/** The account object in coupon lists. */
function accountObject(state: State, id: unknown, withLogo: boolean): Row {
  const { agreement_type, loyalty_options: options, ...account } = state.find("account", id) ?? {};
  const chain_logo = withLogo ? options?.chain_logo : "";
  const loyalty_options = options && { ...options, ...emptyTexts(MAILER_FIELDS), chain_logo };
  return { ...account, loyalty_options };
}

/** A coupon, its issue to a customer and the store of the issue. Ends are in UTC. A digital coupon is not issued. */
export function entryOf(coupon: Row, issued: Row = {}, store: Row = {}): Row {
  const expiration_date = endOf(coupon.expiration_date, coupon.time_zone);
  const expected_end_date = endOf(issued.expected_end_date ?? null, issued.time_zone);
  const ends = [expected_end_date, coupon.can_expire === 1 ? expiration_date : null].filter((end) => end !== null);
  return {
    coupon: { ...coupon, expiration_date },
    issued: { ...issued, expected_end_date },
    store,
    kind: coupon.kind,
    order: COUPON_KINDS.indexOf(coupon.kind),
    end: ends.sort()[0] ?? "never",
    ...pick({ ...coupon, ...issued }, "created_at id"),
  };
}

/** The valid coupons of the caller that both lists search, in their order. */
function validCoupons(state: State, caller: string, parameters: Row, now: string): Row[] {
  const { includemfg, search = "" } = parameters;
  const accounts = state.joinedStores(caller).map(({ account_id }) => account_id);
  const digitalCoupons = state
    .allShown("coupon", { kind: "digital" })
    .filter((coupon) => accounts.includes(coupon.account_id));
  const issuedCoupons = state
    .all("customer_coupon", { customer_id: caller, deleted_at: null })
    .map((issued): Row => ({ ...issued, usage_count: issued.usage_count + redeemed(state, issued.id) }))
    .filter(({ deleted, usage_count, total_count }) => !deleted && usage_count < total_count)
    .flatMap((issued) => {
      const [coupon, store] = [state.shown("coupon", issued.campaign_coupon_id), state.shown("store", issued.store_id)];
      return coupon && store ? [entryOf(coupon, issued, store)] : [];
    });
  const valid = [...issuedCoupons, ...digitalCoupons.map((coupon) => entryOf(coupon))]
    .filter(({ end, kind }) => end >= now && (includemfg || kind !== "mfg"))
    .sort(by("order", "end", "-created_at", "id"));
  const listed = COUPON_KINDS.flatMap((name) => valid.filter(({ kind }) => kind === name).slice(0, LISTED_COUPONS));
  if (search !== "" && fold(search) === "") return [];
  return listed.filter(({ coupon }) => containsText(state, coupon, search));
}

/** How often a customer's coupon was redeemed, less how often that was reversed. */
export function redeemed(state: State, id: unknown): number {
  const redemptions = state.all("redemption", { customer_coupon_id: id });
  return redemptions.reduce((count, { reverses }) => count + (reverses === null ? 1 : -1), 0);
}

/** Whether a text is in the coupon's name, one of its lines, the account's company or the chain's name. */
function containsText(state: State, { name, header_lines, text_lines, account_id }: Row, search: string): boolean {
  const { company, loyalty_options } = state.find("account", account_id) ?? {};
  const texts = [name, ...header_lines, ...text_lines, company, loyalty_options?.chain_display_name ?? ""];
  return texts.some((text) => fold(String(text)).includes(fold(search)));
}

/** The fields that a coupon has in every list. */
const SHARED =
  "account_id name type value header_lines text_lines can_expire expiration_type expiration_date expiration once_per_sale";

/** A coupon outside the digital list: a missing campaign is an empty text, and the barcode is a number. */
const couponFields = (coupon: Row): Row => ({
  ...pick(coupon, SHARED),
  campaign_id: coupon.campaign_id ?? "",
  coupon_barcode: /^\d{1,15}$/.test(coupon.coupon_barcode) ? Number(coupon.coupon_barcode) : 0,
});

/** A coupon record in its shortest form. */
const couponRecord = ({ coupon, issued, store }: Row): Row => ({
  ...couponFields(coupon),
  ...pick(issued, "id customer_id campaign_coupon_id expected_end_date creation_method total_count usage_count"),
  ...pick(issued, "created_at updated_at deleted_at"),
  store_name: store.name,
  store_image: store.store_image,
  campaign_coupon_created: coupon.created_at,
  barcode: coupon.coupon_barcode,
  remaining_count: issued.total_count - issued.usage_count,
});

const detailedRecord = (state: State, entry: Row, withLogo = false): Row => ({
  ...couponRecord(entry),
  ...pick(entry.issued, "coupon_id reserved"),
  account: accountObject(state, entry.coupon.account_id, withLogo),
});

const digitalCoupon = (state: State, { coupon }: Row): Row => ({
  account: accountObject(state, coupon.account_id, false),
  coupon: {
    ...pick(coupon, `id coupon_barcode is_custom can_combine_with_other created_at ${SHARED}`),
    is_digital: 1,
    barcode: coupon.coupon_barcode,
  },
});

/** The coupons of `/coupons`, each with its kind, in detail, and its record. */
export function couponList(state: State, caller: string, parameters: Row, now: string): Row[] {
  const { includemfg, include_images, type, accountId } = parameters;
  const found = validCoupons(state, caller, parameters, now)
    .filter(
      ({ kind, coupon }) =>
        kind !== "digital" && (type === undefined || (fold(type) !== "" && fold(coupon.type) === fold(type))),
    )
    .filter(({ coupon }) => accountId === undefined || coupon.account_id === accountId);
  if (!includemfg) return found.map((entry) => ({ record: couponRecord(entry) }));
  return found.map((entry) => {
    const { coupon, kind } = entry;
    const campaign_coupon = { ...couponFields(coupon), ...pick(coupon, "id source_campaign_id filter_items") };
    return { kind, record: { ...detailedRecord(state, entry, include_images), campaign_coupon } };
  });
}

/** The items of `/coupons`: of the simple variant a list, otherwise two lists. */
export function couponItems(coupons: readonly Row[], { includemfg }: Row): Row | Row[] {
  const { store: stores, mfg } = inLists(coupons);
  return includemfg ? { stores, mfg } : coupons.map(({ record }) => record);
}

/** The coupons of `/my-coupons`, each with its kind and its record. */
export function combinedCoupons(state: State, caller: string, parameters: Row, now: string): Row[] {
  const { digitalonly, type, storeId } = parameters;
  const accounts = storeId.flatMap((id: string) => state.shown("store", id)?.account_id ?? []);
  const isAtStores = ({ kind, coupon, store }: Row) =>
    kind === "digital" ? accounts.includes(coupon.account_id) : storeId.includes(store.id);
  return validCoupons(state, caller, parameters, now)
    .filter(({ kind }) => (!digitalonly || kind === "digital") && (type === undefined || kind === type))
    .filter((entry) => storeId.length === 0 || isAtStores(entry))
    .map((entry) => ({ ...entry, record: (entry.kind === "digital" ? digitalCoupon : detailedRecord)(state, entry) }));
}

/** The records of these coupons, in a list for each kind of coupon. */
export function inLists(coupons: readonly Row[]): Row {
  const recordsOf = (name: string) => coupons.filter(({ kind }) => kind === name).map(({ record }) => record);
  return Object.fromEntries(COUPON_KINDS.map((name) => [name, recordsOf(name)]));
}

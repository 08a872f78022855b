import { KINDS, pick, type Row } from "./kinds.ts";
import type { State } from "./state.ts";
import { byCodePoint, fold } from "./text.ts";
import { endOf } from "./time.ts";

// Both coupon lists (docs/contract/interface.md, 4.4, 4.5 and 5).

const LISTS = ["store", "mfg", "digital"];

/** A coupon that a customer can use. A digital coupon is not issued to the customer, and has no store. */
interface Entry {
  coupon: Row;
  issued?: Row;
  store?: Row;
}

/** The account object in coupon lists. Search results have another form. */
export function accountObject(state: State, id: unknown, { inSearch = false, withLogo = false } = {}): Row {
  const account = state.find("account", id) ?? {};
  const { loyalty_options: options } = account;
  const names = (KINDS[0]?.fields ?? []).map(({ name }) => name);
  const without = (...omitted: string[]) => pick(account, names.filter((name) => !omitted.includes(name)).join(" "));
  if (inSearch) return without("core_tenant_id", "core_app_account_id", "loyalty_options");
  const mailer = "domain secret endpoint username password from_email from_name"
    .split(" ")
    .map((name) => [`mailer_${name}`, ""]);
  const shown = options && {
    ...options,
    chain_logo: withLogo ? options.chain_logo : "",
    ...Object.fromEntries(mailer),
  };
  return { ...without("agreement_type"), loyalty_options: shown };
}

/** The last second of the coupon's earlier end: its own, or its issue's; null: it never ends. */
function lastSecond({ coupon, issued }: Entry): string | null {
  const ends = [
    coupon.can_expire === 1 ? shownEnd(coupon) : null,
    issued ? endOf(issued.expected_end_date, issued.time_zone) : null,
  ];
  return ends.filter((end) => end !== null).sort()[0] ?? null;
}

const shownEnd = ({ expiration_date, time_zone }: Row) => endOf(expiration_date, time_zone);

/** The valid coupons of a customer, in the order of the lists. */
function validCoupons(state: State, caller: string, now: string): Entry[] {
  const issuedCoupons = state.all("customer_coupon").flatMap((issued): Entry[] => {
    const [coupon, store] = [state.shown("coupon", issued.campaign_coupon_id), state.shown("store", issued.store_id)];
    const isUsable = issued.deleted_at === null && issued.usage_count < issued.total_count;
    return issued.customer_id === caller && isUsable && coupon && store ? [{ coupon, issued, store }] : [];
  });
  const joinedAccounts = state.joinedStores(caller).map(({ account_id }) => account_id);
  const digitalCoupons = state
    .all("coupon")
    .filter(({ kind, account_id }) => kind === "digital" && joinedAccounts.includes(account_id));
  const issuedOrDigital = ({ coupon, issued = coupon }: Entry) => issued;
  const shownDigital = digitalCoupons.filter(({ id }) => state.shown("coupon", id));
  return [...issuedCoupons, ...shownDigital.map((coupon): Entry => ({ coupon }))]
    .filter((entry) => (lastSecond(entry) ?? now) >= now)
    .sort(
      (one, other) =>
        LISTS.indexOf(one.coupon.kind) - LISTS.indexOf(other.coupon.kind) ||
        byCodePoint(lastSecond(one) ?? "never", lastSecond(other) ?? "never") ||
        byCodePoint(issuedOrDigital(other).created_at, issuedOrDigital(one).created_at) ||
        byCodePoint(issuedOrDigital(one).id, issuedOrDigital(other).id),
    );
}

/** Whether a text is in the coupon's name, one of its lines, the account's company or the chain's name. */
function containsText(state: State, { name, header_lines, text_lines, account_id }: Row, search = ""): boolean {
  const { company, loyalty_options } = state.find("account", account_id) ?? {};
  const texts = [name, ...header_lines, ...text_lines, company, loyalty_options?.chain_display_name ?? ""];
  return texts.some((text) => fold(String(text)).includes(fold(search)));
}

/** The fields that a coupon has in every list. */
const sharedFields = (coupon: Row): Row => ({
  ...pick(
    coupon,
    "account_id name type value header_lines text_lines can_expire expiration_type expiration once_per_sale",
  ),
  expiration_date: shownEnd(coupon),
});

/** A coupon in its shortest form. */
function couponRecord({ coupon, issued = {}, store = {} }: Entry): Row {
  return {
    ...pick(
      issued,
      "id customer_id campaign_coupon_id creation_method created_at updated_at deleted_at total_count usage_count",
    ),
    ...sharedFields(coupon),
    expected_end_date: endOf(issued.expected_end_date, issued.time_zone),
    store_name: store.name,
    store_image: store.store_image,
    campaign_id: coupon.campaign_id ?? "",
    coupon_barcode: Number(coupon.coupon_barcode),
    campaign_coupon_created: coupon.created_at,
    remaining_count: issued.total_count - issued.usage_count,
  };
}

const detailed = (state: State, entry: Entry, withLogo: boolean): Row => ({
  ...couponRecord(entry),
  ...pick(entry.issued ?? {}, "coupon_id reserved"),
  account: accountObject(state, entry.coupon.account_id, { withLogo }),
});

const campaignCoupon = ({ coupon }: Entry): Row => ({
  ...pick(coupon, "id source_campaign_id filter_items"),
  ...sharedFields(coupon),
  campaign_id: coupon.campaign_id ?? "",
  coupon_barcode: Number(coupon.coupon_barcode),
});

function digitalCoupon(state: State, { coupon }: Entry): Row {
  const digitalFields = pick(coupon, "id coupon_barcode is_custom can_combine_with_other created_at");
  return {
    account: accountObject(state, coupon.account_id),
    coupon: { ...digitalFields, ...sharedFields(coupon), is_digital: 1 },
  };
}

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
  const ofKind = (kind: string) => {
    const entries = found.filter(({ coupon }) => coupon.kind === kind);
    return entries.map((entry) => ({
      ...detailed(state, entry, include_images),
      campaign_coupon: campaignCoupon(entry),
    }));
  };
  return { stores: ofKind("store"), mfg: ofKind("mfg") };
}

/** The coupons of `/my-coupons`, each with the name of its list: store, mfg or digital. */
export function combinedCoupons(
  state: State,
  caller: string,
  parameters: Row,
  now: string,
): { list: string; record: Row }[] {
  const { digitalonly, search, type, storeId, includemfg } = parameters;
  const accounts = storeId.flatMap((id: string) => state.shown("store", id)?.account_id ?? []);
  const isAt = ({ coupon, store }: Entry) =>
    store ? storeId.includes(store.id) : accounts.includes(coupon.account_id);
  return validCoupons(state, caller, now)
    .filter(({ coupon: { kind } }) => (!digitalonly || kind === "digital") && (type === undefined || kind === type))
    .filter(({ coupon }) => (includemfg || coupon.kind !== "mfg") && containsText(state, coupon, search))
    .filter((entry) => storeId.length === 0 || isAt(entry))
    .map((entry) => {
      const list = entry.coupon.kind;
      return { list, record: list === "digital" ? digitalCoupon(state, entry) : detailed(state, entry, false) };
    });
}

// What the two lists must answer by docs/contract/interface.md, 4.4 and 4.5: plain loops over the records that were
// fed.

export interface Program {
  now: string;
  accounts: { id: string; company: string; loyalty_options: { chain_display_name: string } | null; gone: boolean }[];
  stores: { id: string; account_id: string; joined: boolean; gone: boolean }[];
  coupons: {
    id: string;
    account_id: string;
    kind: "store" | "mfg" | "digital";
    name: string;
    type: string;
    header_lines: string[];
    text_lines: string[];
    can_expire: number;
    expiration_date: string | null;
    created_at: string;
    gone: boolean;
  }[];
  issued: {
    id: string;
    /** Whether the caller holds it. */
    mine: boolean;
    campaign_coupon_id: string;
    store_id: string;
    expected_end_date: string | null;
    total_count: number;
    usage_count: number;
    created_at: string;
    deleted_at: string | null;
    gone: boolean;
  }[];
}

export interface CouponsParameters {
  includemfg?: boolean | undefined;
  search?: string | undefined;
  type?: string | undefined;
  accountId?: string | undefined;
}

export interface MyCouponsParameters {
  digitalonly?: boolean | undefined;
  includemfg?: boolean | undefined;
  search?: string | undefined;
  type?: "store" | "mfg" | undefined;
  storeId?: string[] | undefined;
  page: number;
  per_page: number;
}

type Coupon = Program["coupons"][number];
type Issued = Program["issued"][number];
type Lists = Record<string, string[]> | "NO_ITEMS";

interface Entry {
  id: string;
  end: string | null;
  created_at: string;
  coupon: Coupon;
  /** Null for a digital coupon. */
  store_id: string | null;
}

export function modelCoupons(program: Program, { includemfg, search, type, accountId }: CouponsParameters): Lists {
  const entries = validEntries(program).filter(
    ({ coupon }) =>
      holdsText(program, coupon, search) &&
      (type === undefined || coupon.type.toUpperCase() === type.toUpperCase()) &&
      (accountId === undefined || coupon.account_id === accountId),
  );
  const stores = ofKind(entries, "store");
  const mfg = ofKind(entries, "mfg");
  if (includemfg) return orNone({ stores, mfg });
  return orNone({ items: stores });
}

export function modelMyCoupons(program: Program, parameters: MyCouponsParameters): Lists {
  const { digitalonly, includemfg, search, type, storeId = [], page, per_page } = parameters;
  const entries = validEntries(program).filter((entry) => {
    const kind = entry.coupon.kind;
    if (digitalonly && kind !== "digital") return false;
    if (type !== undefined && kind !== type) return false;
    if (includemfg === false && kind === "mfg") return false;
    if (!holdsText(program, entry.coupon, search)) return false;
    if (storeId.length === 0) return true;
    if (entry.store_id !== null) return storeId.includes(entry.store_id);
    const owners = program.stores.filter(({ id, gone }) => !gone && storeId.includes(id));
    return owners.some((store) => store.account_id === entry.coupon.account_id);
  });
  const all = ["store", "mfg", "digital"].flatMap((kind) => ofKind(entries, kind).map((id) => ({ kind, id })));
  const shown = all.slice((page - 1) * per_page, page * per_page);
  const list = (kind: string) => shown.filter((one) => one.kind === kind).map(({ id }) => id);
  return orNone({ store: list("store"), mfg: list("mfg"), digital: list("digital") });
}

function orNone(lists: Record<string, string[]>): Lists {
  return Object.values(lists).every((list) => list.length === 0) ? "NO_ITEMS" : lists;
}

function validEntries(program: Program): Entry[] {
  const entries: Entry[] = [];
  for (const one of program.issued) {
    const coupon = program.coupons.find(({ id }) => id === one.campaign_coupon_id);
    const store = program.stores.find(({ id }) => id === one.store_id);
    if (coupon === undefined || store === undefined) throw new Error("the program refers to nothing");
    if (!one.mine || one.gone || store.gone || !isThere(program, coupon)) continue;
    if (one.deleted_at !== null || one.total_count - one.usage_count <= 0) continue;
    const end = endOf(coupon, one);
    if (end !== null && end < program.now) continue;
    entries.push({ id: one.id, end, created_at: one.created_at, coupon, store_id: store.id });
  }
  for (const coupon of program.coupons) {
    const end = endOf(coupon, null);
    const reaches = program.stores.some(
      (store) => store.account_id === coupon.account_id && store.joined && !store.gone,
    );
    if (coupon.kind !== "digital" || !reaches || !isThere(program, coupon)) continue;
    if (end !== null && end < program.now) continue;
    entries.push({ id: coupon.id, end, created_at: coupon.created_at, coupon, store_id: null });
  }
  return entries;
}

function isThere({ accounts }: Program, coupon: Coupon): boolean {
  return !coupon.gone && accounts.some(({ id, gone }) => id === coupon.account_id && !gone);
}

function endOf(coupon: Coupon, issued: Issued | null): string | null {
  const ends = [issued?.expected_end_date ?? null, coupon.can_expire === 1 ? coupon.expiration_date : null];
  const times = ends.flatMap((end) => (end === null ? [] : [end.length === 10 ? `${end} 23:59:59` : end]));
  return times.sort()[0] ?? null;
}

function holdsText({ accounts }: Program, coupon: Coupon, search: string | undefined): boolean {
  if (search === undefined || search === "") return true;
  const account = accounts.find(({ id }) => id === coupon.account_id);
  const chain = [account?.company ?? "", account?.loyalty_options?.chain_display_name ?? ""];
  const plain = (text: string) =>
    text
      .normalize("NFD")
      .replaceAll(/\p{Mark}/gu, "")
      .toLowerCase()
      .replaceAll("ς", "σ");
  const texts = [coupon.name, ...coupon.header_lines, ...coupon.text_lines, ...chain];
  return texts.some((text) => plain(text).includes(plain(search)));
}

function ofKind(entries: readonly Entry[], kind: string): string[] {
  const list = entries.filter(({ coupon }) => coupon.kind === kind);
  list.sort(
    (one, other) =>
      compare(one.end ?? "9999-99", other.end ?? "9999-99") ||
      compare(other.created_at, one.created_at) ||
      compareByCodePoint(one.id, other.id),
  );
  return list.map(({ id }) => id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function compareByCodePoint(one: string, other: string): number {
  const hex = (text: string) => Array.from(text, (point) => (point.codePointAt(0) ?? 0).toString(16).padStart(6, "0"));
  return compare(hex(one).join(""), hex(other).join(""));
}

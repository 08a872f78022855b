import type { Field, Kind, Row } from "./kinds.ts";
import type { State } from "./state.ts";

// The checks of a line that need the state after the whole request.

/** A line whose fields are good by themselves. */
export interface Line {
  kind: Kind;
  number: number;
  isDelete: boolean;
  /** The fields. A delete has only the fields of the key. */
  row: Row;
  key: string;
}

/** The fixed fields that a line would change. */
export function changes({ isEvent, fields }: Kind, row: Row, stored: Row | undefined): string[] {
  if (isEvent || stored === undefined) return [];
  const changed = fields.filter(({ name, isFixed }) => isFixed && row[name] !== null && row[name] !== stored[name]);
  return changed.map(({ name }) => name);
}

/** The ids in a field of which no record is stored. Deleted records are stored, but erased customers are not. */
export function missing({ name, to }: Field, row: Row, after: State): unknown[] {
  const isStored = (id: unknown) => (to === "customer" ? after.customer(id) : after.find(to ?? "", id)) !== undefined;
  return to === undefined ? [] : namesIn(row[name]).filter((id) => !isStored(id));
}

/** The ids in a field: one, a list, or none. */
const namesIn = (value: unknown): unknown[] => (value === "all" ? [] : [value ?? []].flat());

/** The account of a record; undefined: the record is not stored, or has no account. */
function accountOf(record: string | undefined, id: unknown, state: State): string | undefined {
  const row = record === undefined ? undefined : state.find(record, id);
  return record === "account" ? row?.id : row?.account_id;
}

/** Whether a line touches an account that the token does not cover. */
export function isForeign({ kind, row, key }: Line, accounts: readonly string[], before: State, after: State): boolean {
  const { record, fields, ownerField } = kind;
  if (ownerField === null) return true;
  const named = fields.flatMap(({ name, to }) =>
    to === undefined ? [] : namesIn(row[name]).map((id) => accountOf(to, id, after)),
  );
  const owner = fields.find(({ name }) => name === ownerField);
  const stored = before.table(record).get(key) ?? {};
  // An account need not be stored to be foreign.
  const own = [
    row.account_id,
    record === "account" ? row.id : undefined,
    accountOf(owner?.to, stored[ownerField], after),
  ];
  return [...named, ...own].some((account) => account !== undefined && !accounts.includes(account));
}

interface Request {
  lines: readonly Line[];
  before: State;
  after: State;
}

export function faultsOf(line: Line, request: Request): string[] {
  const { row, kind } = line;
  const { record, fields, ownerField } = kind;
  const { after } = request;
  // The key names an erased customer: only the missing reference is reported.
  const isKnown = fields.every((field) => !field.isKey || missing(field, row, after).length === 0);
  const bad = new Set(isKnown ? changes(kind, row, after.table(record).get(line.key)) : []);
  const owner = accountOf(ownerField === "account_id" ? "account" : "store", row[ownerField ?? ""], after);
  for (const field of fields) {
    const { name, to, type } = field;
    const isOfAnother = (id: unknown) => {
      const account = accountOf(to, id, after);
      return account !== undefined && account !== owner && (owner !== undefined || type === "stores");
    };
    if (missing(field, row, after).length > 0 || namesIn(row[name]).some(isOfAnother)) bad.add(name);
  }
  if (record === "customer_coupon" && after.find("coupon", row.campaign_coupon_id)?.kind === "digital")
    bad.add("campaign_coupon_id");
  if (isStranger(line, after)) bad.add("customer_id");
  if (record === "membership" && row.referrer_id !== null && isBadReferrer(line, request)) bad.add("referrer_id");
  return [...bad];
}

/** Whether the line's customer must be a member of the group or store, and is not. A former member still earns. */
function isStranger({ kind: { record }, row }: Line, after: State): boolean {
  const { group_id, store_id, customer_id } = row;
  if (record === "token_earning")
    return after.find("store", store_id) !== undefined && !after.find("membership", store_id, customer_id);
  const group = after.find("message_group", group_id);
  return (
    (record === "message" || record === "message_state") &&
    group !== undefined &&
    !group.member_ids.includes(customer_id)
  );
}

/** A referrer must be another customer with a membership of the store: stored, or on an earlier line. */
function isBadReferrer({ kind, number, row }: Line, { lines, before, after }: Request): boolean {
  const { store_id, customer_id, referrer_id } = row;
  if (referrer_id === customer_id) return true;
  if (!after.customer(customer_id) || !after.find("store", store_id)) return false;
  const isEarlier = lines.some(
    (one) =>
      one.kind === kind &&
      one.number < number &&
      !one.isDelete &&
      one.row.store_id === store_id &&
      one.row.customer_id === referrer_id,
  );
  const isJoining = isEarlier && after.find("membership", store_id, referrer_id) !== undefined;
  return !isJoining && before.find("membership", store_id, referrer_id) === undefined;
}

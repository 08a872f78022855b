import type { Field, Kind, Row } from "./kinds.ts";
import type { State } from "./state.ts";

// What is wrong with a line once the whole request is applied.

/** A good line: `row` is what its fields hold, of a delete only the key. */
export interface Line {
  kind: Kind;
  number: number;
  isDelete: boolean;
  row: Row;
  key: string;
}

/** The fields in which a line would change what is fixed. */
export function changes({ isEvent, fields }: Kind, row: Row, stored: Row | undefined): string[] {
  if (isEvent || stored === undefined) return [];
  const changed = fields.filter(({ name, isFixed }) => isFixed && row[name] !== null && row[name] !== stored[name]);
  return changed.map(({ name }) => name);
}

/** The names in a field that name no stored record. What is deleted or left is stored; a customer who is erased is not. */
export function missing({ name, to }: Field, row: Row, after: State): unknown[] {
  const isStored = (id: unknown) => (to === "customer" ? after.customer(id) : after.find(to ?? "", id)) !== undefined;
  return to === undefined ? [] : namesIn(row[name]).filter((id) => !isStored(id));
}

/** The ids in a field: one, a list, or none. */
const namesIn = (value: unknown): unknown[] => (value === "all" ? [] : [value ?? []].flat());

/** The account of a record; undefined where it is not stored, or belongs to none. */
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
  // Also an account that is not stored.
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

/** The fields of a line that are wrong once the whole request is applied. */
export function faultsOf(line: Line, request: Request): string[] {
  const { row, kind } = line;
  const { record, fields, ownerField } = kind;
  const { after } = request;
  // A record that is known by somebody who was erased is not compared with what is stored.
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

/** Whether a line's customer must be a member, of a group or of a store, and is none. Who left a store still earns. */
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

/** A referrer is another customer who is a member of the store already: stored, or on an earlier line. */
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

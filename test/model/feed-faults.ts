import type { Field, Kind, Row } from "./kinds.ts";
import { keyOf, type State } from "./state.ts";

// Checks of a line that need the state after the whole request, such as whether the ids in it are stored.

/** A line whose fields are good by themselves. */
export interface Line {
  kind: Kind;
  number: number;
  isDelete: boolean;
  /** The line's fields. A line that deletes has only the fields of the key. */
  row: Row;
  key: string;
}

/** The fields that a line would change although they are fixed once the record is stored. */
export function changedFields({ isEvent, fields }: Kind, row: Row, stored: Row | undefined): string[] {
  if (isEvent || stored === undefined) return [];
  const changed = fields.filter(({ name, isFixed }) => isFixed && row[name] !== null && row[name] !== stored[name]);
  return changed.map(({ name }) => name);
}

/** The ids in a field that no stored record has. A deleted record counts as stored, an erased customer does not. */
export function missingIds({ name, to }: Field, row: Row, after: State): unknown[] {
  const isStored = (id: unknown) => (to === "customer" ? after.customer(id) : after.find(to ?? "", id)) !== undefined;
  return to === undefined ? [] : idsIn(row[name]).filter((id) => !isStored(id));
}

/** The ids in a field, which has one id, a list of ids, or none. */
const idsIn = (value: unknown): unknown[] => (value === "all" ? [] : [value ?? []].flat());

/** The account of a record; undefined: the record is not stored, or has no account. */
function accountOf(record: string | undefined, id: unknown, state: State): string | undefined {
  const row = record === undefined ? undefined : state.find(record, id);
  return record === "account" ? row?.id : row?.account_id;
}

/** Whether a line writes to, or refers to, an account that the token does not cover. */
export function isForeign({ kind, row, key }: Line, accounts: readonly string[], before: State, after: State): boolean {
  const { record, fields, ownerField } = kind;
  if (ownerField === null) return true;
  const accountsIn = (values: Row) =>
    fields.flatMap(({ name, to }) => idsIn(values[name]).map((id) => accountOf(to, id, after)));
  const stored = before.table(record).get(key) ?? {};
  // The account that a line names counts even if no such account is stored.
  const named = record === "account" ? row.id : row.account_id;
  const touched = [named, ...accountsIn(row), ...accountsIn(stored)];
  return touched.some((account) => account !== undefined && !accounts.includes(account));
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
  // If the key refers to a missing record, such as an erased customer, report only that and no changed fields.
  const isKeyStored = fields.every((field) => !field.isKey || missingIds(field, row, after).length === 0);
  const bad = new Set(isKeyStored ? changedFields(kind, row, after.table(record).get(line.key)) : []);
  const owner = accountOf(ownerField === "account_id" ? "account" : "store", row[ownerField ?? ""], after);
  for (const field of fields) {
    const { name, to, type } = field;
    const isOfAnother = (id: unknown) => {
      const account = accountOf(to, id, after);
      return account !== undefined && account !== owner && (owner !== undefined || type === "stores");
    };
    if (missingIds(field, row, after).length > 0 || idsIn(row[name]).some(isOfAnother)) bad.add(name);
  }
  if (record === "customer_coupon" && after.find("coupon", row.campaign_coupon_id)?.kind === "digital")
    bad.add("campaign_coupon_id");
  if (isNoMember(line, after)) bad.add("customer_id");
  if (record === "membership" && row.referrer_id !== null && isBadReferrer(line, request)) bad.add("referrer_id");
  return [...bad];
}

/** Whether the customer is no member of the line's group or store. A former member may still earn tokens at a store. */
function isNoMember({ kind: { record }, row }: Line, after: State): boolean {
  const { group_id, store_id, customer_id } = row;
  if (record === "token_earning")
    return after.find("store", store_id) !== undefined && !after.find("membership", store_id, customer_id);
  if (record !== "message" && record !== "message_state") return false;
  const group = after.find("message_group", group_id);
  return group !== undefined && !group.member_ids.includes(customer_id);
}

/** A referrer must be another customer, whose membership of the store is stored or on an earlier line. */
function isBadReferrer({ kind, number, row }: Line, { lines, before, after }: Request): boolean {
  const { store_id, customer_id, referrer_id } = row;
  if (referrer_id === customer_id) return true;
  if (!after.customer(customer_id) || !after.find("store", store_id)) return false;
  const key = keyOf("membership", [store_id, referrer_id]);
  const isEarlier = lines.some(
    (line) => line.kind === kind && line.key === key && line.number < number && !line.isDelete,
  );
  const isJoining = isEarlier && after.find("membership", store_id, referrer_id) !== undefined;
  return !isJoining && before.find("membership", store_id, referrer_id) === undefined;
}

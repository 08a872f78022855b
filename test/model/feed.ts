import { type Field, KINDS, type Kind, type Row, readFields } from "./kinds.ts";
import { keyOf, type State } from "./state.ts";
import { by } from "./text.ts";
import { addSeconds } from "./time.ts";

// The rules for feed requests (docs/contract/feed.md, 1 and 2).

export interface FeedAnswer {
  status: 200 | 403 | 422;
  accepted?: number;
  ignored?: number;
  /** Only with status 422: the wrong fields, such as `line 3.latitude`. */
  fields?: string[];
}

export interface FeedRequest {
  /** The JSON value of each line; undefined for a blank line. */
  lines: readonly unknown[];
  /** The accounts that the token may write to. */
  accounts: readonly string[] | "*";
  /** The second in which the request is applied. */
  now: string;
  /** Events before this time have left for history. */
  horizon?: string | null;
}

/** A line whose fields are good by themselves. */
interface Line {
  kind: Kind;
  number: number;
  isDelete: boolean;
  /** The line's fields. A line that deletes has only the fields of the key. */
  row: Row;
  key: string;
}

const NAMED_LINES = 100;
const SOFT_DELETED = ["account", "store", "campaign", "coupon", "employee", "eip_campaign", "membership"];

/** Applies a request, and returns the answer and the new state. A refused request does not change the state. */
export function applyFeed(before: State, request: FeedRequest): { answer: FeedAnswer; after: State } {
  const { accounts, now, horizon = null } = request;
  const refused = (answer: FeedAnswer) => ({ answer, after: before });
  const read = request.lines.flatMap((value, index) =>
    value === undefined ? [] : [readLine(value, { number: index + 1, horizon })],
  );
  const bad = read.filter((line) => Array.isArray(line));
  if (bad.length > 0) return refused({ status: 422, fields: bad.slice(0, NAMED_LINES).flat().sort() });

  const lines = read.filter((line): line is Line => !Array.isArray(line));
  const after = before.copy();
  const { writes, deletes } = deduplicated(lines, before);
  takeStamp(after, writes, now);
  for (const line of writes) write(line, after, now);
  const removed = deletes.filter((line) => remove(line, after));
  removeTracesOfErased(after);

  if (accounts !== "*" && lines.some((line) => isForeign(line, accounts, before, after)))
    return refused({ status: 403 });
  const faults = writes.flatMap((line) => {
    const badReferrer = isBadReferrer(line, lines, before, after) ? ["referrer_id"] : [];
    return namesOf(line.number, [...new Set([...faultsOf(line, after), ...badReferrer])]);
  });
  if (faults.length > 0) return refused({ status: 422, fields: faults.sort() });

  const events = (all: readonly Line[]) => all.filter(({ kind }) => kind.isEvent).length;
  const repeated = events(lines) - events(writes) - events(deletes);
  const ignored = repeated + deletes.length - removed.length;
  return { answer: { status: 200, accepted: lines.length - ignored, ignored }, after };
}

/** The names of fields of a line, such as `line 3.latitude`. The name of the whole line is `line 3`. */
const namesOf = (number: number, fields: readonly string[]) =>
  fields.map((field) => `line ${number}${field === "" ? "" : `.${field}`}`);

/** Reads a line, or returns the names of its wrong fields. */
function readLine(value: unknown, { number, horizon }: { number: number; horizon: string | null }): Line | string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return namesOf(number, [""]);
  const object = value as Row;
  const kind = KINDS.find(({ record }) => record === object.record);
  if (kind === undefined) return namesOf(number, ["record"]);
  const isDeletable = !kind.isEvent || kind.record === "message";
  const isDelete = object.deleted === true && isDeletable;
  const fields = kind.fields.filter(({ isKey }) => isKey || !isDelete);
  const row = readFields(fields, object);
  const bad = Object.keys(row).filter((name) => row[name] === undefined);
  if (bad.length === 0) bad.push(...contradictions(kind, row));
  if ("deleted" in object && (typeof object.deleted !== "boolean" || !isDeletable)) bad.push("deleted");
  if (horizon !== null && row[kind.timeField] < horizon) bad.push(kind.timeField);
  const key = kind.key.map((name) => row[name]);
  return bad.length > 0 ? namesOf(number, bad) : { kind, number, isDelete, row, key: keyOf(kind.record, key) };
}

/** The names of fields that contradict another field of their line. */
function contradictions({ record }: Kind, row: Row): string[] {
  const { customer_id, friend_id, blocked_id, member_ids, initial_customer_id, usage_count, total_count } = row;
  const isBadList = (ids: string[]) => !ids.includes(initial_customer_id) || new Set(ids).size < ids.length;
  return [
    ...(record === "friendship" && customer_id === friend_id ? ["friend_id"] : []),
    ...(record === "block" && customer_id === blocked_id ? ["blocked_id"] : []),
    ...(member_ids !== undefined && isBadList(member_ids) ? ["member_ids"] : []),
    ...(usage_count > total_count ? ["usage_count"] : []),
  ];
}

/**
 * The lines that take effect, in the order in which they do. If several lines have one key, only the last one takes effect. For an
 * event, it is the first line that writes it, unless it is stored, and the first that deletes it. A record is written
 * before the records that refer to it, and deleted after them. New records keep the order of their first lines.
 */
function deduplicated(lines: readonly Line[], before: State): { writes: Line[]; deletes: Line[] } {
  const byRecord = Map.groupBy(lines, ({ kind, key, isDelete }) =>
    JSON.stringify([kind.record, key, kind.isEvent && isDelete]),
  );
  const effective = [...byRecord.values()].flatMap((linesOfRecord) => {
    const line = linesOfRecord[0]?.kind.isEvent ? linesOfRecord[0] : linesOfRecord.at(-1);
    const first = linesOfRecord.find(({ isDelete }) => !isDelete) ?? line;
    return line && first ? [{ line, order: KINDS.indexOf(line.kind) * 10_000 + first.number }] : [];
  });
  const ordered = effective.sort(by("order")).map(({ line }) => line);
  const isStoredEvent = ({ kind, key }: Line) => kind.isEvent && before.table(kind.record).has(key);
  return {
    writes: ordered.filter((line) => !line.isDelete && !isStoredEvent(line)),
    deletes: ordered.filter(({ isDelete }) => isDelete).reverse(),
  };
}

/** Takes the stamp of new messages: the time of D1's clock, or a second after the last stamp if that is later. */
function takeStamp(after: State, writes: readonly Line[], now: string): void {
  const { stamp, time } = after.clock;
  if (time === now || !writes.some(({ kind }) => kind.record === "message")) return;
  after.clock = { time: now, stamp: now > stamp ? now : addSeconds(stamp, 1) };
}

/**
 * Writes a line, unless it refers to a record that is not stored, or changes a fixed field. Then the request is
 * refused, and checks of other lines must not find this line's record.
 */
function write({ kind, row, key }: Line, after: State, now: string): void {
  const { record, fields } = kind;
  const stored = after.table(record).get(key);
  const references = fields.filter(({ isRequired, type }) => isRequired && type !== "customers");
  const isMissing = references.some((field) => missingIds(field, row, after).length > 0);
  const isChanged = changedFields(kind, row, stored).length > 0;
  // A stored group, and a membership with another referrer, are written anyway: the checks of other lines use them.
  if (isMissing && !(record === "message_group" && stored)) return;
  if (isChanged && record !== "message_group" && record !== "membership") return;
  const timesOfNow = fields.filter(({ type, name }) => type === "now" && row[name] === null);
  const written: Row = { ...row, ...Object.fromEntries(timesOfNow.map(({ name }) => [name, stored?.[name] ?? now])) };
  if (record === "membership") written.referrer_id = (stored ?? row).referrer_id;
  if (record === "message") {
    const isImported = row.sent_at !== null && row.sent_at < addSeconds(after.clock.time, -3_600);
    written.sent_at = isImported ? row.sent_at : after.clock.stamp;
  }
  if (record === "message_group") {
    written.initial_customer_id = stored?.initial_customer_id ?? row.initial_customer_id;
    written.member_ids = row.member_ids.filter((id: string) => after.current("customer", id));
    const isStranger = ({ customer_id }: Row) => !written.member_ids.includes(customer_id);
    removeAll(after, "message_state", (one) => one.group_id === row.id && isStranger(one));
  }
  after.store(record, key, written);
}

export function removeAll(after: State, record: string, isRemoved: (row: Row) => boolean): void {
  after.change(record, isRemoved, () => undefined);
}

/** Deletes a record. Returns false if it was not stored, or was deleted before. */
function remove({ kind: { record, fields }, key }: Line, after: State): boolean {
  const stored = after.table(record).get(key);
  if (stored === undefined || stored.deleted || stored.body === "") return false;
  const store = (row?: Row) => after.store(record, key, row);
  const emptyFields = Object.fromEntries(fields.map(({ name, valueIfLeftOut }) => [name, valueIfLeftOut]));
  if (record === "customer") store({ ...emptyFields, id: stored.id, deleted: true });
  else if (SOFT_DELETED.includes(record)) store({ ...stored, deleted: true });
  else if (record === "message") store({ ...stored, body: "" });
  else store();
  if (record === "message_group") {
    const isOfGroup = ({ group_id }: Row) => group_id === stored.id;
    removeAll(after, "message_state", isOfGroup);
    // The messages stay without a group, because their ids cannot be used again.
    after.change("message", isOfGroup, () => ({ group_id: null }));
  }
  return true;
}

/** Ends the memberships of erased customers, takes them out of groups, and removes their other records. */
function removeTracesOfErased(after: State): void {
  const isErased = (id: unknown) => after.find("customer", id)?.deleted === true;
  const isOfErased = ({ customer_id, friend_id, blocked_id }: Row) =>
    [customer_id, friend_id, blocked_id].some(isErased);
  after.change("membership", isOfErased, () => ({ deleted: true }));
  for (const record of ["registration", "friendship", "block", "customer_coupon", "message_state"])
    removeAll(after, record, isOfErased);
  const withoutErased = ({ member_ids }: Row) => ({ member_ids: member_ids.filter((id: string) => !isErased(id)) });
  after.change("message_group", ({ member_ids }) => member_ids.some(isErased), withoutErased);
}

/** The fields that a line would change although they are fixed once the record is stored. */
function changedFields({ isEvent, fields }: Kind, row: Row, stored: Row | undefined): string[] {
  if (isEvent || stored === undefined) return [];
  const changed = fields.filter(({ name, isFixed }) => isFixed && row[name] !== null && row[name] !== stored[name]);
  return changed.map(({ name }) => name);
}

/** The ids in a field that no stored record has. A deleted record counts as stored, an erased customer does not. */
function missingIds({ name, to }: Field, row: Row, after: State): unknown[] {
  const isStored = (id: unknown) =>
    (to === "customer" ? after.current("customer", id) : after.find(to ?? "", id)) !== undefined;
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
function isForeign({ kind, row, key }: Line, accounts: readonly string[], before: State, after: State): boolean {
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

/** The fields of a line that are wrong in the state after the request. */
function faultsOf({ row, kind, key }: Line, after: State): string[] {
  const { record, fields, ownerField } = kind;
  // If the key refers to a missing record, such as an erased customer, report only that and no changed fields.
  const isKeyStored = fields.every((field) => !field.isKey || missingIds(field, row, after).length === 0);
  const bad = new Set(isKeyStored ? changedFields(kind, row, after.table(record).get(key)) : []);
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
  if (isNoMember(record, row, after)) bad.add("customer_id");
  return [...bad];
}

/** Whether the customer is no member of the line's group or store. A former member may still earn tokens at a store. */
function isNoMember(record: string, row: Row, after: State): boolean {
  const { group_id, store_id, customer_id } = row;
  if (record === "token_earning")
    return after.find("store", store_id) !== undefined && !after.find("membership", store_id, customer_id);
  if (record !== "message" && record !== "message_state") return false;
  const group = after.find("message_group", group_id);
  return group !== undefined && !group.member_ids.includes(customer_id);
}

/** A referrer must be another customer, whose membership of the store is stored or on an earlier line. */
function isBadReferrer({ kind, number, row }: Line, lines: readonly Line[], before: State, after: State): boolean {
  const { store_id, customer_id, referrer_id } = row;
  if (kind.record !== "membership" || referrer_id === null) return false;
  if (referrer_id === customer_id) return true;
  if (!after.current("customer", customer_id) || !after.find("store", store_id)) return false;
  const key = keyOf("membership", [store_id, referrer_id]);
  const isEarlier = lines.some(
    (line) => line.kind === kind && line.key === key && line.number < number && !line.isDelete,
  );
  const isJoining = isEarlier && after.find("membership", store_id, referrer_id) !== undefined;
  return !isJoining && before.find("membership", store_id, referrer_id) === undefined;
}

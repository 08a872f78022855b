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

/** A line whose fields are good by themselves. A line that deletes has only the fields of its key. */
type Line = Exclude<ReturnType<typeof readLine>, string[]>;

/** A field that refers to another record, with the id of that record. */
type Reference = Field & { id: unknown };

const NAMED_LINES = 100;
const SOFT_DELETED = ["account", "store", "campaign", "coupon", "employee", "eip_campaign", "membership"];

/** Applies a request to a copy of the state, `after`. If the request is refused, the copy is of no use. */
export function applyFeed(before: State, after: State, request: FeedRequest): FeedAnswer {
  const { accounts, now, horizon = null } = request;
  const numbered = request.lines.map((value, index) => ({ value, number: index + 1 }));
  const read = numbered.filter(({ value }) => value !== undefined).map((line) => readLine(line, horizon));
  const bad = read.filter((line) => Array.isArray(line));
  if (bad.length > 0) return { status: 422, fields: bad.slice(0, NAMED_LINES).flat().sort() };

  const lines = read.filter((line): line is Line => !Array.isArray(line));
  const { writes, deletes } = deduplicated(lines, before);
  takeStamp(after, writes, now);
  for (const line of writes) write(line, after, now);
  const removed = deletes.filter((line) => remove(line, after));
  removeTracesOfErased(after);

  if (accounts !== "*" && lines.some((line) => isForeign(line, accounts, before, after))) return { status: 403 };
  const faults = writes.flatMap((line) => namesOf(line.number, faultsOf(line, { lines, before, after })));
  if (faults.length > 0) return { status: 422, fields: faults.sort() };

  const events = (all: readonly Line[]) => all.filter(({ kind }) => kind.isEvent).length;
  const repeated = events(lines) - events(writes) - events(deletes);
  const ignored = repeated + deletes.length - removed.length;
  return { status: 200, accepted: lines.length - ignored, ignored };
}

/** The names of fields of a line, such as `line 3.latitude`. */
const namesOf = (number: number, fields: Iterable<string>) => Array.from(fields, (field) => `line ${number}.${field}`);

/** The fields that may contradict other fields of their line. */
const CONTRADICTIONS: Readonly<Record<string, (row: Row) => boolean>> = {
  friend_id: ({ friend_id, customer_id }) => friend_id === customer_id,
  blocked_id: ({ blocked_id, customer_id }) => blocked_id === customer_id,
  member_ids: ({ member_ids: ids, initial_customer_id }) =>
    !ids.includes(initial_customer_id) || new Set(ids).size < ids.length,
  usage_count: ({ usage_count, total_count }) => usage_count > total_count,
};

/** Reads a line, or returns the names of its wrong fields. */
function readLine({ value, number }: { value: unknown; number: number }, horizon: string | null) {
  const object = Object(value);
  if (object !== value || Array.isArray(value)) return [`line ${number}`];
  const kind = KINDS.find(({ record }) => record === object.record);
  if (kind === undefined) return namesOf(number, ["record"]);
  const isDeletable = !kind.isEvent || kind.record === "message";
  const isDelete = object.deleted === true && isDeletable;
  const fields = kind.fields.filter(({ isKey }) => isKey || !isDelete);
  const { row, bad } = readFields(fields, object);
  if (bad.length === 0) bad.push(...Object.keys(row).filter((name) => CONTRADICTIONS[name]?.(row)));
  if ("deleted" in object && (typeof object.deleted !== "boolean" || !isDeletable)) bad.push("deleted");
  if (horizon !== null && row[kind.timeField] < horizon) bad.push(kind.timeField);
  const key = kind.key.map((name) => row[name]);
  return bad.length > 0 ? namesOf(number, bad) : { kind, number, isDelete, row, key: keyOf(kind.record, key) };
}

/**
 * The lines that take effect, in the order in which they do. A record is written before the records that refer to it, and
 * deleted after them. Of several lines with one key, only the last one takes effect, in the order of the first lines. For
 * an event, it is the first line that writes it, unless it is stored, and the first that deletes it.
 */
function deduplicated(lines: readonly Line[], before: State): { writes: Line[]; deletes: Line[] } {
  const effective = lines.flatMap((line) => {
    const sameKey = lines.filter(({ kind, key }) => kind === line.kind && key === line.key);
    const sameAction = sameKey.filter(({ isDelete }) => isDelete === line.isDelete);
    const { isEvent, record } = line.kind;
    const isStored = isEvent && !line.isDelete && before.table(record).has(line.key);
    const isEffective = line === (isEvent ? sameAction[0] : sameKey.at(-1)) && !isStored;
    return isEffective ? [{ line, order: KINDS.indexOf(line.kind), first: sameAction[0]?.number ?? 0 }] : [];
  });
  const ordered = effective.sort(by("order", "first")).map(({ line }) => line);
  const deletes = ordered.filter(({ isDelete }) => isDelete);
  return { writes: ordered.filter((line) => !deletes.includes(line)), deletes: deletes.reverse() };
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
  const references = referencesIn(kind, row).filter(({ isRequired, type }) => isRequired && type !== "customers");
  // A stored group, and a membership with another referrer, are written anyway: the checks of other lines use them.
  if (references.some((reference) => isMissing(reference, after)) && !(record === "message_group" && stored)) return;
  if (changedFields(kind, row, stored).length > 0 && record !== "message_group" && record !== "membership") return;
  const written: Row = { ...row };
  for (const { name, type } of fields) if (type === "now") written[name] ??= stored?.[name] ?? now;
  if (record === "membership") written.referrer_id = (stored ?? row).referrer_id;
  if (record === "message") {
    const isImported = row.sent_at !== null && row.sent_at < addSeconds(after.clock.time, -3_600);
    written.sent_at = isImported ? row.sent_at : after.clock.stamp;
  }
  if (record === "message_group") {
    written.initial_customer_id = stored?.initial_customer_id ?? row.initial_customer_id;
    written.member_ids = row.member_ids.filter((id: string) => after.current("customer", id));
    const isStranger = ({ customer_id }: Row) => !written.member_ids.includes(customer_id);
    after.change("message_state", (one) => one.group_id === row.id && isStranger(one));
  }
  after.store(record, key, written);
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
    after.change("message_state", isOfGroup);
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
    after.change(record, isOfErased);
  const withoutErased = ({ member_ids }: Row) => ({ member_ids: member_ids.filter((id: string) => !isErased(id)) });
  after.change("message_group", ({ member_ids }) => member_ids.some(isErased), withoutErased);
}

/** The fields that a line would change although they are fixed once the record is stored. */
function changedFields({ isEvent, fields }: Kind, row: Row, stored: Row | undefined): string[] {
  if (isEvent || stored === undefined) return [];
  const changed = fields.filter(({ name, isFixed }) => isFixed && row[name] !== null && row[name] !== stored[name]);
  return changed.map(({ name }) => name);
}

/** The references in a line or a record: its fields with ids of other records, each id alone. */
const referencesIn = ({ fields }: Kind, row: Row): Reference[] =>
  fields
    .filter(({ name, to }) => to !== undefined && row[name] !== "all")
    .flatMap((field) => [row[field.name] ?? []].flat().map((id) => ({ ...field, id })));

/** Whether no such record is stored. A deleted record counts as stored, an erased customer does not. */
const isMissing = ({ to = "", id }: Reference, after: State): boolean =>
  (to === "customer" ? after.current(to, id) : after.find(to, id)) === undefined;

/** The account of the other record; undefined: that is not stored, or has no account. */
function accountOf({ to = "", id }: Reference, after: State): string | undefined {
  const row = after.find(to, id);
  return to === "account" ? row?.id : row?.account_id;
}

/** Whether a line writes to, or refers to, an account that the token does not cover. */
function isForeign({ kind, row, key }: Line, accounts: readonly string[], before: State, after: State): boolean {
  const { record, ownerField } = kind;
  if (ownerField === null) return true;
  const stored = before.table(record).get(key) ?? {};
  const references = [...referencesIn(kind, row), ...referencesIn(kind, stored)];
  // The account that a line names counts even if no such account is stored.
  const named = record === "account" ? row.id : row.account_id;
  const touched = [named, ...references.map((reference) => accountOf(reference, after))];
  return touched.some((account) => account !== undefined && !accounts.includes(account));
}

/** The fields of a line that are wrong in the state after the request. */
function faultsOf(line: Line, request: { lines: readonly Line[]; before: State; after: State }): Set<string> {
  const { after } = request;
  const { row, kind, key } = line;
  const references = referencesIn(kind, row);
  const ownerReference = references.find(({ name }) => name === kind.ownerField);
  const owner = ownerReference && accountOf(ownerReference, after);
  const isOfAnother = (reference: Reference) => {
    const account = accountOf(reference, after);
    return account !== undefined && account !== owner && (owner !== undefined || reference.type === "stores");
  };
  const wrong = references.filter((reference) => isMissing(reference, after) || isOfAnother(reference));
  const faults = new Set(wrong.map(({ name }) => name));
  // If the key refers to a missing record, such as an erased customer, report only that and no changed fields.
  if (!references.some((reference) => reference.isKey && isMissing(reference, after)))
    for (const name of changedFields(kind, row, after.table(kind.record).get(key))) faults.add(name);
  const { campaign_coupon_id, group_id, store_id, customer_id } = row;
  if (after.find("coupon", campaign_coupon_id)?.kind === "digital") faults.add("campaign_coupon_id");
  if (after.find("message_group", group_id)?.member_ids.includes(customer_id) === false) faults.add("customer_id");
  // A former member may still earn tokens at a store.
  const isEarning = kind.record === "token_earning" && after.find("store", store_id) !== undefined;
  if (isEarning && !after.find("membership", store_id, customer_id)) faults.add("customer_id");
  if (isBadReferrer(line, request)) faults.add("referrer_id");
  return faults;
}

/** A referrer must be another customer, whose membership of the store is stored or on an earlier line. */
function isBadReferrer({ kind, number, row }: Line, { lines, before, after }: Parameters<typeof faultsOf>[1]): boolean {
  const { store_id, customer_id, referrer_id = null } = row;
  if (referrer_id === null) return false;
  if (referrer_id === customer_id) return true;
  if (!after.current("customer", customer_id) || !after.find("store", store_id)) return false;
  const key = keyOf("membership", [store_id, referrer_id]);
  const earlier = lines.filter((line) => line.kind === kind && line.number < number && !line.isDelete);
  const state = earlier.some((line) => line.key === key) ? after : before;
  return state.find("membership", store_id, referrer_id) === undefined;
}

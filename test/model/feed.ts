import { changes, faultsOf, isForeign, type Line, missing } from "./feed-faults.ts";
import { type Field, KINDS, type Kind, type Row, readField } from "./kinds.ts";
import { keyOf, type State } from "./state.ts";
import { addSeconds } from "./time.ts";
import { BAD } from "./values.ts";

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

const NAMED_LINES = 100;
const SOFT_DELETED = ["account", "store", "campaign", "coupon", "employee", "eip_campaign"];

/** Applies a request, and returns the answer and the new state. A refused request does not change the state. */
export function applyFeed(before: State, request: FeedRequest): { answer: FeedAnswer; after: State } {
  const { lines, bad } = readLines(request);
  if (bad.length > 0)
    return { answer: { status: 422, fields: bad.slice(0, NAMED_LINES).flat().sort() }, after: before };
  const after = before.copy();
  const { writes, deletes } = deduplicated(lines, before);
  takeStamp(after, writes, request.now);
  for (const line of writes) write(line, after, request.now);
  const removed = deletes.filter((line) => remove(line, after));
  removeTracesOfErased(after);

  const { accounts } = request;
  if (accounts !== "*" && lines.some((line) => isForeign(line, accounts, before, after)))
    return { answer: { status: 403 }, after: before };
  const faulty = writes.map((line) =>
    faultsOf(line, { lines, before, after }).map((field) => nameOf(line.number, field)),
  );
  if (faulty.some(({ length }) => length > 0))
    return { answer: { status: 422, fields: faulty.flat().sort() }, after: before };

  const repeated =
    lines.filter(({ kind }) => kind.isEvent).length - [...writes, ...deletes].filter(({ kind }) => kind.isEvent).length;
  const ignored = repeated + deletes.length - removed.length;
  return { answer: { status: 200, accepted: lines.length - ignored, ignored }, after };
}

const nameOf = (number: number, field: string) => `line ${number}${field === "" ? "" : `.${field}`}`;

/** The valid lines, and the names of the wrong fields of each invalid line. */
function readLines({ lines, horizon = null }: FeedRequest): { lines: Line[]; bad: string[][] } {
  const good: Line[] = [];
  const bad: string[][] = [];
  for (const [index, value] of lines.entries()) {
    if (value === undefined) continue;
    const line = readLine(value, index + 1, horizon);
    if (Array.isArray(line)) bad.push(line.map((field) => nameOf(index + 1, field)));
    else good.push(line);
  }
  return { lines: good, bad };
}

function readLine(value: unknown, number: number, horizon: string | null): Line | string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [""];
  const object = value as Row;
  const kind = KINDS.find(({ record }) => record === object.record);
  if (kind === undefined) return ["record"];
  const isDeletable = !kind.isEvent || kind.record === "message";
  const isDelete = object.deleted === true && isDeletable;
  const fields = kind.fields.filter(({ isKey }) => isKey || !isDelete);
  const row: Row = Object.fromEntries(fields.map((field) => [field.name, readField(field, object[field.name])]));
  const bad = new Set(Object.keys(row).filter((name) => row[name] === BAD));
  if (bad.size === 0 && contradiction(kind, row)) bad.add(contradiction(kind, row));
  if ("deleted" in object && (typeof object.deleted !== "boolean" || !isDeletable)) bad.add("deleted");
  const time = row[kind.timeField];
  if (horizon !== null && typeof time === "string" && time < horizon) bad.add(kind.timeField);
  return bad.size > 0 ? [...bad] : { kind, number, isDelete, row, key: keyOf(kind, row) };
}

/** The name of a field that contradicts another field of its line, or `""`. */
function contradiction({ record }: Kind, row: Row): string {
  const { customer_id, friend_id, blocked_id, member_ids, initial_customer_id, usage_count, total_count } = row;
  if (record === "friendship" && customer_id === friend_id) return "friend_id";
  if (record === "block" && customer_id === blocked_id) return "blocked_id";
  if (usage_count > total_count) return "usage_count";
  if (member_ids === undefined) return "";
  return member_ids.includes(initial_customer_id) && new Set(member_ids).size === member_ids.length ? "" : "member_ids";
}

/**
 * The lines that take effect, in that order. If several lines have one key, only the last one takes effect. For an
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
  const ordered = effective.sort((one, other) => one.order - other.order).map(({ line }) => line);
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
  const lacksRequiredRecord = fields.some(
    (field) => field.isRequired && field.type !== "customers" && missing(field, row, after).length > 0,
  );
  const isChanged = changes(kind, row, stored).length > 0;
  // A stored group, and a membership with another referrer, are written anyway: the checks of other lines use them.
  if (lacksRequiredRecord && !(record === "message_group" && stored)) return;
  if (isChanged && record !== "message_group" && record !== "membership") return;
  const timesOfNow = fields.filter(({ type, name }) => type === "now" && row[name] === null);
  const written: Row = { ...row, ...Object.fromEntries(timesOfNow.map(({ name }) => [name, stored?.[name] ?? now])) };
  if (record === "membership")
    Object.assign(written, { joined: true, ...(stored && { referrer_id: stored.referrer_id }) });
  if (record === "message") {
    const isImported = row.sent_at !== null && row.sent_at < addSeconds(after.clock.time, -3_600);
    written.sent_at = isImported ? row.sent_at : after.clock.stamp;
  }
  if (record === "message_group") {
    written.initial_customer_id = stored?.initial_customer_id ?? row.initial_customer_id;
    written.member_ids = row.member_ids.filter((id: string) => after.customer(id));
    const hasLeft = ({ group_id, customer_id }: Row) =>
      group_id === row.id && !written.member_ids.includes(customer_id);
    removeAll(after, "message_state", hasLeft);
  }
  after.store(record, key, written);
}

export function removeAll(after: State, record: string, isRemoved: (row: Row) => boolean): void {
  after.change(record, isRemoved, () => undefined);
}

/** Deletes a record. Returns false if it was not stored, or was deleted before. */
function remove({ kind: { record, fields }, key }: Line, after: State): boolean {
  const stored = after.table(record).get(key);
  if (stored === undefined || stored.deleted || stored.erased || stored.joined === false || stored.body === "")
    return false;
  const store = (row?: Row) => after.store(record, key, row);
  if (record === "customer") store({ ...emptied(fields), id: stored.id, erased: true });
  else if (SOFT_DELETED.includes(record)) store({ ...stored, deleted: true });
  else if (record === "membership") store({ ...stored, joined: false });
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

const emptied = (fields: readonly Field[]): Row =>
  Object.fromEntries(fields.map(({ name, isNullable }) => [name, isNullable ? null : ""]));

/** Ends the memberships of erased customers, takes them out of groups, and removes their other records. */
function removeTracesOfErased(after: State): void {
  const isErased = (id: unknown) => after.find("customer", id)?.erased === true;
  const isOfErased = ({ customer_id }: Row) => isErased(customer_id);
  after.change("membership", isOfErased, () => ({ joined: false }));
  const withoutErased = ({ member_ids }: Row) => ({ member_ids: member_ids.filter((id: string) => !isErased(id)) });
  after.change("message_group", ({ member_ids }) => member_ids.some(isErased), withoutErased);
  for (const record of ["registration", "friendship", "block", "customer_coupon", "message_state"])
    removeAll(after, record, (one) => [one.customer_id, one.friend_id, one.blocked_id].some(isErased));
}

import type { Expected } from "./expected.ts";
import { KINDS, type Kind, type Row, readFields, unknownFields } from "./kinds.ts";
import { formerId, keyOf, plainId, type State } from "./state.ts";
import { by } from "./text.ts";
import { addSeconds, endOf } from "./time.ts";

// The rules for feed requests (docs/contract/feed.md, 1 and 2).

export interface FeedRequest {
  /** The second in which the request is applied. */
  now: string;
  /** The accounts that the token may write to. */
  accounts?: readonly string[] | "*";
}

/** A line whose fields are good by themselves. A line that deletes has only the fields of its key. */
type Line = Exclude<ReturnType<typeof readLine>, string[]>;

const NAMED_LINES = 100;
const DAY_SECONDS = 86_400;
/** The times of states that must not be ahead, as those of events. */
const AHEAD_FIELDS: Readonly<Record<string, string>> = { membership: "joined_at", message_state: "read_at" };
const WARNINGS = 10;
const SOFT_DELETED = "account store campaign coupon customer_coupon employee eip_campaign membership".split(" ");

/**
 * Applies a request to a copy of the state, `after`. If the request is refused, the copy is of no use.
 * @param values the JSON value of each line; undefined for a blank line.
 */
export function applyFeed(before: State, after: State, values: readonly unknown[], request: FeedRequest): Expected {
  const { now, accounts = "*" } = request;
  const readLines = values.flatMap((value, index) =>
    value === undefined ? [] : [readLine({ value, number: index + 1 })],
  );
  const badLines = readLines.filter((line) => Array.isArray(line));
  if (badLines.length > 0) return { status: 422, fields: badLines.slice(0, NAMED_LINES).flat().sort() };

  const lines = readLines.filter((line): line is Line => !Array.isArray(line));
  if (accounts !== "*" && lines.some(({ kind }) => kind.ownerField === null)) return { status: 403 };
  // Redemptions are never added up.
  const oldLines = lines
    .filter(({ kind, row }) => kind.record !== "redemption" && row[kind.timeField] < before.horizon)
    .slice(0, NAMED_LINES);
  const tooOld = oldLines.flatMap(({ number, kind }) => namesOf(number, [kind.timeField]));
  if (tooOld.length > 0) return { status: 422, fields: tooOld.sort() };
  const aheadField = ({ kind }: Line) => AHEAD_FIELDS[kind.record] ?? kind.timeField;
  const aheadLines = lines
    .filter((line) => line.row[aheadField(line)] > addSeconds(now, DAY_SECONDS))
    .slice(0, NAMED_LINES);
  const ahead = aheadLines.flatMap((line) => namesOf(line.number, [aheadField(line)]));
  if (ahead.length > 0) return { status: 422, fields: ahead.sort() };
  const { writes, deletes } = deduplicated(lines, before);
  for (const line of writes) write(line, after, now);
  const removedRecords = deletes.filter((line) => remove(line, after));

  if (accounts !== "*" && lines.some((line) => isForeign(line, accounts, before, after))) return { status: 403 };
  const taken = lines.flatMap((line) => (hasTakenId(line, lines, before) ? namesOf(line.number, ["id"]) : []));
  const wrong = writes.flatMap((line) => namesOf(line.number, faultsOf(line, { lines, before, after })));
  const faults = [...taken, ...wrong];
  if (faults.length > 0) return { status: 422, fields: faults.sort() };

  const events = (all: readonly Line[]) => all.filter(({ kind }) => kind.isEvent).length;
  const repeatedEvents = events(lines) - events(writes) - events(deletes);
  const ignored = repeatedEvents + deletes.length - removedRecords.length;
  const warnings = lines
    .flatMap(({ unknown, kind: { record } }) => unknown.map((name) => `${name}: no field of ${withArticle(record)}`))
    .slice(0, WARNINGS);
  const counts = { accepted: lines.length - ignored, ignored };
  return { status: 200, body: { status: true, items: { ...counts, ...(warnings.length > 0 && { warnings }) } } };
}

const withArticle = (record: string) => `${/^[aeiou]/.test(record) ? "an" : "a"} ${record}`;

/** The names of fields of a line, such as `line 3.latitude`. */
const namesOf = (number: number, fields: Iterable<string>) => Array.from(fields, (field) => `line ${number}.${field}`);

/** The fields that may contradict other fields of their line. */
const CONTRADICTIONS: Readonly<Record<string, (row: Row) => boolean>> = {
  friend_id: ({ friend_id, customer_id }) => friend_id === customer_id,
  blocked_id: ({ blocked_id, customer_id }) => blocked_id === customer_id,
  member_ids: ({ member_ids: ids, initial_customer_id }) =>
    !ids.includes(initial_customer_id) || new Set(ids).size < ids.length,
  usage_count: ({ usage_count, total_count }) => usage_count > total_count,
  campaign_end_date: ({ campaign_start_date, campaign_end_date }) => isBefore(campaign_end_date, campaign_start_date),
  end_date: ({ start_date, end_date }) => isBefore(end_date, start_date),
  expiration_date: ({ can_expire, expiration_date, time_zone, created_at }) =>
    can_expire === 1 && isBefore(endOf(expiration_date, time_zone), created_at),
};

/** Whether an end is before a beginning. Either may be missing. */
const isBefore = (end: string | null | undefined, beginning: string | null | undefined) =>
  Boolean(end && beginning && end < beginning);

/** Reads a line, or returns the names of its wrong fields. */
function readLine({ value, number }: { value: unknown; number: number }) {
  const object = Object(value);
  if (object !== value || Array.isArray(value)) return [`line ${number}`];
  const kind = KINDS.find(({ record }) => record === object.record);
  if (kind === undefined) return namesOf(number, ["record"]);
  const isDeletable = !kind.isEvent || kind.record === "message";
  // The other fields of an event that a line would delete do not matter.
  if (object.deleted === true && !isDeletable) return namesOf(number, ["deleted"]);
  const isDelete = object.deleted === true;
  const fields = kind.fields.filter(({ isKey }) => isKey || !isDelete);
  const { row, bad } = readFields(fields, object);
  if (bad.length === 0) bad.push(...Object.keys(row).filter((name) => CONTRADICTIONS[name]?.(row)));
  if ("deleted" in object && (typeof object.deleted !== "boolean" || !isDeletable)) bad.push("deleted");
  const key = kind.key.map((name) => row[name]);
  const unknown = isDelete ? [] : namesOf(number, unknownFields(kind, object));
  return bad.length > 0 ? namesOf(number, bad) : { kind, number, isDelete, row, key: keyOf(kind.record, key), unknown };
}

/**
 * The lines that take effect, in their order. A record is written before the records that refer to it, and deleted after
 * them. Of several lines with one key, the last one takes effect, at the position of the first. An event that is not
 * stored is written by its first line. A message is deleted by the first line that deletes it.
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

/**
 * Writes a line, unless it refers to a record that is not stored. Then the request is refused, and checks of other lines
 * must not find this line's record. A stored group is written anyway, because checks of other lines use its new members.
 */
function write({ kind, row, key }: Line, after: State, now: string): void {
  const { record, fields } = kind;
  const stored = after.table(record).get(key);
  const isIncomplete = referencesIn(kind, row, after).some(
    ({ isMissing, isRequired, type }) => isMissing && isRequired && type !== "customers",
  );
  if (isIncomplete && !(record === "message_group" && stored)) return;
  const written: Row = { ...row };
  if (record === "message_state" && row.read_at > now) written.read_at = now;
  // A mark never moves back, but null removes it.
  if (record === "message_state" && written.read_at < stored?.read_at) written.read_at = stored?.read_at;
  for (const { name, type, isFixed } of fields) {
    if (isFixed && stored) written[name] = stored[name];
    if (type === "now") written[name] ??= stored?.[name] ?? now;
  }
  if (record === "message") {
    const { stamp, time } = after.clock;
    // All messages of a second get one stamp: the time of D1's clock, or a second after the last stamp if that is later.
    if (time !== now) after.clock = { time: now, stamp: now > stamp ? now : addSeconds(stamp, 1) };
    const isImported = row.sent_at !== null && row.sent_at < addSeconds(now, -3_600);
    written.sent_at = isImported ? row.sent_at : after.clock.stamp;
  }
  if (record === "customer" && stored?.deleted) written.life = beginNewLife(stored, after);
  else if (record === "customer") written.life = stored?.life;
  if (record === "message") written.life = after.find("customer", row.customer_id)?.life;
  if (record === "message_group") {
    written.initial_life = after.find("customer", row.initial_customer_id)?.life;
    written.member_ids = row.member_ids.filter((id: string) => after.current("customer", id));
    const isStranger = ({ customer_id }: Row) => !written.member_ids.includes(customer_id);
    after.change("message_state", (state) => state.group_id === row.id && isStranger(state));
  }
  after.store(record, key, written);
}

/**
 * Nothing of a former life returns: its memberships and tokens stay under an id of their own, so that the members below keep
 * their levels. Returns the number of the new life.
 */
function beginNewLife({ id, life = 0 }: Row, after: State): number {
  for (const record of ["membership", "token_earning"]) {
    for (const [key, row] of [...after.table(record)]) {
      const inFormerLife = (field: string) => (row[field] === id ? { [field]: formerId(id, life) } : {});
      const renamed = { ...row, ...inFormerLife("customer_id"), ...inFormerLife("referrer_id") };
      const isOwn = row.customer_id === id && record === "membership";
      if (isOwn) after.store(record, key, undefined);
      after.store(record, isOwn ? keyOf(record, [row.store_id, renamed.customer_id]) : key, renamed);
    }
  }
  return life + 1;
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
  if (record === "customer") endRecordsOf(stored.id, after);
  return true;
}

/** Ends the memberships and coupons of an erased customer, takes them out of groups, and removes their other records. */
function endRecordsOf(erased: string, after: State): void {
  const isOfErased = (row: Row) => [row.customer_id, row.friend_id, row.blocked_id].includes(erased);
  after.change("membership", isOfErased, () => ({ deleted: true }));
  after.change("customer_coupon", isOfErased, () => ({ deleted: true, coupon_id: null, creation_method: "" }));
  for (const record of ["registration", "friendship", "block", "message_state"]) after.change(record, isOfErased);
  const withoutErased = ({ member_ids }: Row) => ({ member_ids: member_ids.filter((id: string) => id !== erased) });
  after.change("message_group", ({ member_ids }) => member_ids.includes(erased), withoutErased);
}

/** The references in a line or a record: for each id of another record, its field and the account of that record. */
function referencesIn({ fields }: Kind, row: Row, after: State) {
  const referring = fields.filter(({ name, to }) => to !== undefined && row[name] !== "all" && name !== "reverses");
  return referring.flatMap((field) =>
    [row[field.name] ?? []].flat().map((id) => {
      const { to = "" } = field;
      // A deleted record counts as stored, an erased customer does not.
      const record = to === "customer" ? after.current(to, id) : after.find(to, id);
      const owning = to === "customer_coupon" ? after.find("coupon", record?.campaign_coupon_id) : record;
      const account: string | undefined = to === "account" ? record?.id : owning?.account_id;
      return { ...field, isMissing: record === undefined, account };
    }),
  );
}

/** Whether a line writes to, or refers to, an account that the token does not cover. */
function isForeign({ kind, row, key }: Line, accounts: readonly string[], before: State, after: State): boolean {
  const { record } = kind;
  const stored = before.table(record).get(key) ?? {};
  const references = [...referencesIn(kind, row, after), ...referencesIn(kind, stored, after)];
  // The account that a line names counts even if no such account is stored.
  const namedAccount = record === "account" ? row.id : row.account_id;
  const touchedAccounts = [namedAccount, ...references.map(({ account }) => account)];
  return touchedAccounts.some((account) => account !== undefined && !accounts.includes(account));
}

/** The types of numbers that two lines about one event have in common. */
const NUMBERS = ["decimal", "signed", "level"];

/** Whether a line has the id of another event, which is stored or on an earlier line. */
function hasTakenId(line: Line, lines: readonly Line[], before: State): boolean {
  const { kind, key, row, isDelete } = line;
  if (!kind.isEvent || isDelete) return false;
  const first = lines.find((one) => one.kind === kind && one.key === key && !one.isDelete);
  const other = first === line ? before.table(kind.record).get(key) : first?.row;
  // A removed message group is not compared.
  const isGone = (name: string) => name === "group_id" && other?.group_id === null;
  const compared = kind.fields.filter(({ name, to, type }) => (to || NUMBERS.includes(type)) && !isGone(name));
  return other !== undefined && compared.some(({ name }) => plainId(other[name]) !== row[name]);
}

/** The fields of a line that are wrong in the state after the request. */
function faultsOf(line: Line, request: { lines: readonly Line[]; before: State; after: State }): Set<string> {
  const { before, after } = request;
  const { row, kind, key } = line;
  const references = referencesIn(kind, row, after);
  const owner = references.find(({ name }) => name === kind.ownerField)?.account;
  const isOfOwner = ({ account, type }: (typeof references)[number]) =>
    account === undefined || account === owner || (owner === undefined && type !== "stores");
  // A line that names another owner than the stored one is wrong in that field only.
  const isMoved = kind.fields.some(
    ({ name, isFixed }) =>
      isFixed && name === kind.ownerField && row[name] !== (before.table(kind.record).get(key) ?? row)[name],
  );
  const wrongReferences = references.filter((reference) => reference.isMissing || !(isMoved || isOfOwner(reference)));
  const faults = new Set(wrongReferences.map(({ name }) => name));
  // What never changes is as it was stored, or as the line says.
  const stored = after.table(kind.record).get(key) ?? row;
  // If the key refers to a missing record, such as an erased customer, report only that and no changed fields.
  const isKeyMissing = references.some(({ isKey, isMissing }) => isKey && isMissing);
  for (const { name, isFixed } of isKeyMissing ? [] : kind.fields)
    if (isFixed && row[name] !== null && row[name] !== plainId(stored[name])) faults.add(name);
  const { campaign_coupon_id, group_id, store_id, customer_id } = row;
  if (after.find("coupon", campaign_coupon_id)?.kind === "digital") faults.add("campaign_coupon_id");
  if (after.find("message_group", group_id)?.member_ids.includes(customer_id) === false) faults.add("customer_id");
  // A former member may still earn tokens at a store.
  const isEarning = kind.record === "token_earning" && after.find("store", store_id) !== undefined;
  if (isEarning && !after.find("membership", store_id, customer_id)) faults.add("customer_id");
  if (row.reverses && isBadReversal(line, request)) faults.add("reverses");
  if (!faults.has("referrer_id") && isBadReferrer(line, request)) faults.add("referrer_id");
  return faults;
}

/** A reversal gives the use of a redemption of its coupon back, once. Both may come in one request. */
function isBadReversal({ kind, number, row }: Line, { lines, before }: Parameters<typeof faultsOf>[1]): boolean {
  const { reverses, customer_coupon_id } = row;
  const isNew = ({ key }: Line) => !before.table(kind.record).has(key);
  const news = lines.filter((line) => line.kind === kind && isNew(line));
  const reversed = before.find(kind.record, reverses) ?? news.find((line) => line.row.id === reverses)?.row;
  const isReversed =
    before.all(kind.record, { reverses }).length > 0 ||
    news.some((line) => line.number < number && line.row.reverses === reverses && line.row.id !== row.id);
  return reversed?.customer_coupon_id !== customer_coupon_id || reversed?.reverses !== null || isReversed;
}

/** A referrer must be another customer, whose membership of the store is stored or on an earlier line. */
function isBadReferrer({ kind, number, row }: Line, { lines, before, after }: Parameters<typeof faultsOf>[1]): boolean {
  const { store_id, customer_id, referrer_id = null } = row;
  if (referrer_id === null) return false;
  if (referrer_id === customer_id) return true;
  const isOfThisLife = before.current("customer", customer_id) !== undefined;
  const stored = isOfThisLife ? before.find("membership", store_id, customer_id) : undefined;
  if (plainId(stored?.referrer_id) === referrer_id) return false;
  if (!after.current("customer", customer_id) || !after.find("store", store_id)) return false;
  const key = keyOf("membership", [store_id, referrer_id]);
  const writesReferrer = (line: Line) => line.kind === kind && line.key === key && !line.isDelete;
  const isOnEarlierLine = lines.some((line) => line.number < number && writesReferrer(line));
  if (isOnEarlierLine) return !after.table("membership").has(key);
  return !before.table("membership").has(key) || !before.current("customer", referrer_id);
}

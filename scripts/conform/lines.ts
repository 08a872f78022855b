import type { Item } from "./http.ts";

/** A line of the feed. */
export type Line = Item & { record: string };
/** A line of a record whose key is its id. */
export type LineWithId = Line & { id: string };
/** A function for each kind of record (docs/contract/feed.md, 4). It makes a line of this kind. */
export type LineMakers = ReturnType<typeof lineMakers>;

type Values<Names extends readonly string[]> = [...{ [Index in keyof Names]: unknown }, fields?: Item];

/** The fields of the key, for the kinds whose key is not `id`. */
const KEY_FIELDS: Record<string, readonly string[]> = {
  membership: ["store_id", "customer_id"],
  registration: ["campaign_id", "customer_id"],
  friendship: ["customer_id", "friend_id"],
  block: ["customer_id", "blocked_id"],
  message_state: ["group_id", "customer_id"],
};

/**
 * The functions that make lines. Each takes the values of a few fields in order, then an object of other fields. It
 * fills the required fields that no rule is about. A value may be another line, which stands for its id.
 */
export function lineMakers(newId: (record: string) => string, onLine: (line: Line) => void = () => {}) {
  const add = <NewLine extends Line>(fields: NewLine): NewLine => {
    const line = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toId(value)])) as NewLine;
    onLine(line);
    return line;
  };
  const maker =
    <const Names extends readonly string[]>(record: string, names: Names, defaults: Item = {}) =>
    (...values: Values<Names>): Line =>
      add({ record, ...fieldsOf(names, values, defaults) });
  const makerWithId =
    <const Names extends readonly string[]>(record: string, names: Names, defaults: Item = {}) =>
    (...values: Values<Names>): LineWithId =>
      add({ record, id: newId(record), ...fieldsOf(names, values, defaults) });

  const customer = (name = "Conny Conform", fields: Item = {}): LineWithId => {
    const [firstName, ...lastNames] = name.split(" ");
    const names = { first_name: firstName, last_name: lastNames.join(" ") };
    return add({ record: "customer", id: newId("customer"), ...names, ...fields });
  };

  return {
    account: makerWithId("account", [], { company: "Conform Coffee" }),
    store: makerWithId("store", ["account_id"], { name: "Conform Street", latitude: 10, longitude: 20 }),
    campaign: makerWithId("campaign", ["account_id"], { name: "Conform Points", campaign_start_date: "2020-01-01" }),
    customer,
    /** The customer who is a caller. */
    caller: ({ id }: { id: string }, name?: string, fields: Item = {}) => customer(name, { id, ...fields }),
    membership: maker("membership", ["store_id", "customer_id"]),
    registration: maker("registration", ["campaign_id", "customer_id"]),
    entry: makerWithId("balance_entry", ["customer_id", "store_id", "amount"]),
    earning: makerWithId("token_earning", ["store_id", "customer_id", "level_no", "tokens"]),
    friendship: maker("friendship", ["customer_id", "friend_id", "status"]),
    block: maker("block", ["customer_id", "blocked_id"]),
    /** A message group. Its first member is the initial customer. */
    group: (members: readonly unknown[] = [], fields: Item = {}): LineWithId =>
      add({
        record: "message_group",
        id: newId("message_group"),
        initial_customer_id: members[0],
        member_ids: members,
        ...fields,
      }),
    message: makerWithId("message", ["group_id", "customer_id", "body"]),
    messageState: maker("message_state", ["group_id", "customer_id"]),
    coupon: makerWithId("coupon", ["account_id"], {
      kind: "store",
      name: "Free conform",
      type: "Free_Item",
      value: "1.00",
    }),
    issued: makerWithId("customer_coupon", ["customer_id", "campaign_coupon_id", "store_id"]),
    redemption: makerWithId("redemption", ["customer_coupon_id", "store_id"]),
    employee: makerWithId("employee", ["account_id", "name"]),
    eipCampaign: makerWithId("eip_campaign", ["account_id"], { name: "Conform League", start_date: "2020-01-01" }),
    play: makerWithId("play", ["eip_campaign_id", "location_id", "employee_id"]),
  };
}

function fieldsOf(names: readonly string[], values: readonly unknown[], defaults: Item): Item {
  const namedValues = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  return { ...namedValues, ...defaults, ...(values[names.length] as Item | undefined) };
}

/** The id of a record or of a caller. Any other value stays as it is. */
function toId(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toId);
  return typeof value === "object" && value !== null && "id" in value ? value.id : value;
}

/** The fields of the key of a line, with their values. */
export function keyOf({ record, ...fields }: Line): Item {
  return Object.fromEntries((KEY_FIELDS[record] ?? ["id"]).map((name) => [name, fields[name]]));
}

/** The line that deletes the record of a line. */
export const deletionOf = (line: Line): Line => ({ record: line.record, ...keyOf(line), deleted: true });

/** This number of values, each made by a call of `make` with the value's index. */
export const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A date in UTC, such as `2026-11-20`. The offset is in days from today. */
export function day(offset: number): string {
  return new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
}

/** A time in UTC, such as `2026-11-20 09:30:00`. The offset is in seconds from now. */
export function time(offsetSeconds: number): string {
  return new Date(Date.now() + offsetSeconds * 1_000).toISOString().slice(0, 19).replace("T", " ");
}

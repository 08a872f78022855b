import type { Row } from "./kinds.ts";

/** The key of a record within its kind. The two customers of a friendship may come in either order. */
export const keyOf = (record: string, parts: unknown[]): string =>
  JSON.stringify(record === "friendship" ? parts.sort() : parts);

/** The id under which a former life of a customer is kept, and the id and the life in such an id. */
export const formerId = (id: string, life: number) => `${id}\0${life}`;
export const plainId = (id: unknown) => (typeof id === "string" ? id.split("\0")[0] : id);
const lifeIn = (id: string) => (id.includes("\0") ? Number(id.split("\0")[1]) : undefined);

/** The sum of a field, which is a number or a decimal. Adds whole hundredths, so that the sum is exact. */
export const sum = (rows: readonly Row[], field: string): number =>
  rows.reduce((total, row) => total + Math.round(row[field] * 100), 0) / 100;

const NO_RECORDS: ReadonlyMap<string, Row> = new Map();

/** A table of records for each kind, by their keys. Records keep the order in which they were first stored. */
export class State {
  #tables = new Map<string, Map<string, Row>>();
  /** The kinds whose tables belong to this state alone. It shares the others with the state that it was copied from. */
  readonly #ownTables = new Set<string>();
  /** The stamp, which is the time of the newest messages, and what D1's clock said when they were stored. */
  clock = { stamp: "", time: "" };
  /** The horizon: the feed refuses events from before this time. */
  horizon = "";
  /** The ids of the balance entries that were added up and deleted. */
  addedUp: ReadonlySet<string> = new Set();

  table(record: string): ReadonlyMap<string, Row> {
    return this.#tables.get(record) ?? NO_RECORDS;
  }

  /** Replaces the record with this key; undefined removes it. Copies share rows, so no row is changed in place. */
  store(record: string, key: string, row: Row | undefined): void {
    if (!this.#ownTables.has(record)) this.#tables.set(record, new Map(this.table(record)));
    this.#ownTables.add(record);
    if (row === undefined) this.#tables.get(record)?.delete(key);
    else this.#tables.get(record)?.set(key, row);
  }

  /** Changes the records for which `isChanged` is true; without new fields, removes them. */
  change(record: string, isChanged: (row: Row) => boolean, newFields?: (row: Row) => Row): void {
    for (const [key, row] of [...this.table(record)].filter(([, row]) => isChanged(row)))
      this.store(record, key, newFields && { ...row, ...newFields(row) });
  }

  /** The records of a kind that have these values in these fields. */
  all(record: string, values: Row = {}): Row[] {
    const fields = Object.keys(values);
    return [...this.table(record).values()].filter((row) => fields.every((field) => row[field] === values[field]));
  }

  find(record: string, ...key: unknown[]): Row | undefined {
    return this.table(record).get(keyOf(record, key));
  }

  /** The record with this key, unless it is deleted, erased, or a membership that has ended. */
  current(record: string, ...key: unknown[]): Row | undefined {
    const row = this.find(record, ...key);
    return row?.deleted ? undefined : row;
  }

  /** A copy, which shares tables with this state. After this, only the copy may be changed. */
  copy(): State {
    const copy = new State();
    copy.#tables = new Map(this.#tables);
    return Object.assign(copy, { clock: this.clock, horizon: this.horizon, addedUp: this.addedUp });
  }

  /** The records that answers may show: neither they nor their accounts are deleted. */
  allShown(record: string, values: Row = {}): Row[] {
    return this.all(record, values).filter(({ id }) => this.shown(record, id) !== undefined);
  }

  /** The record with this id, if answers may show it. */
  shown(record: string, id: unknown): Row | undefined {
    const row = this.current(record, id);
    return record === "account" || this.current("account", row?.account_id) ? row : undefined;
  }

  /** A line of an export with the lives that it says; it says nothing of the first. */
  withLives(record: string, row: Row, line: Row): Row {
    const lifeOf = (id: string | null) => lifeIn(id ?? "") ?? this.find("customer", id)?.life ?? 0;
    const lives: Row = {
      ...(record === "customer" && { life: row.life }),
      ...(record === "membership" && { life: lifeOf(row.customer_id) }),
      ...(record === "membership" && "referrer_id" in line && { referrer_life: lifeOf(row.referrer_id) }),
      ...(record === "token_earning" && { life: lifeOf(row.customer_id) }),
      ...(record === "message" && { life: row.life }),
      ...(record === "message_group" && "member_ids" in line && { initial_life: row.initial_life }),
    };
    const { life: _, ...others } = line;
    const said = Object.entries(lives).filter(([, life]) => life > 0);
    const plain = Object.entries(others).map(([name, value]) => [name, plainId(value)]);
    return Object.fromEntries([...plain, ...(line.deleted && record !== "membership" ? [] : said)]);
  }

  /** 1 for friends, 0 for a pending request, -1 for neither. */
  friendStatus(customerId: unknown, friendId: unknown): number {
    return this.find("friendship", customerId, friendId)?.status ?? -1;
  }

  /** The stores that a customer has joined, without those that answers may not show. */
  joinedStores(id: unknown): Row[] {
    const memberships = this.all("membership", { customer_id: id });
    return memberships.filter(({ deleted }) => !deleted).flatMap(({ store_id }) => this.shown("store", store_id) ?? []);
  }
}

import { KINDS, type Row } from "./kinds.ts";
import { toHundredths } from "./values.ts";

/** The key of a record within its kind. The two customers of a friendship may come in either order. */
export const keyOf = (record: string, parts: unknown[]): string =>
  JSON.stringify(record === "friendship" ? parts.sort() : parts);

export const sum = (rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((total, row) => total + value(row), 0);

/** A table of records for each kind, by their keys. Records keep the order in which they were first stored. */
export class State {
  readonly #tables: Map<string, Map<string, Row>>;
  /** The kinds whose tables belong to this state alone. It shares the others with the state that it was copied from. */
  readonly #ownTables = new Set<string>();
  /** The stamp, which is the time of the newest messages, and what D1's clock said when they were stored. */
  clock = { stamp: "", time: "" };

  constructor(tables = new Map(KINDS.map(({ record }) => [record, new Map<string, Row>()]))) {
    this.#tables = tables;
  }

  table(record: string): ReadonlyMap<string, Row> {
    const table = this.#tables.get(record);
    if (table === undefined) throw new Error(`There are no records of the kind ${record}.`);
    return table;
  }

  /** Replaces the record with this key; undefined removes it. Copies share rows, so no row is changed in place. */
  store(record: string, key: string, row: Row | undefined): void {
    if (!this.#ownTables.has(record)) this.#tables.set(record, new Map(this.table(record)));
    this.#ownTables.add(record);
    if (row === undefined) this.#tables.get(record)?.delete(key);
    else this.#tables.get(record)?.set(key, row);
  }

  /** Changes the records for which `isChanged` is true. Removes those for which `newFields` returns undefined. */
  change(record: string, isChanged: (row: Row) => boolean, newFields: (row: Row) => Row | undefined): void {
    for (const [key, row] of [...this.table(record)].filter(([, row]) => isChanged(row))) {
      const fields = newFields(row);
      this.store(record, key, fields && { ...row, ...fields });
    }
  }

  all(record: string): Row[] {
    return [...this.table(record).values()];
  }

  find(record: string, ...key: unknown[]): Row | undefined {
    return this.table(record).get(keyOf(record, key));
  }

  /** A copy, which shares tables with this state. After this, only the copy may be changed. */
  copy(): State {
    const copy = new State(new Map(this.#tables));
    copy.clock = { ...this.clock };
    return copy;
  }

  /** The records that answers may show: neither they nor their accounts are deleted. */
  allShown(record: string): Row[] {
    return this.all(record).filter(({ id }) => this.shown(record, id) !== undefined);
  }

  /** The record with this id, if answers may show it. */
  shown(record: string, id: unknown): Row | undefined {
    const row = this.find(record, id);
    const isShown = row && !row.deleted && (record === "account" || this.shown("account", row.account_id));
    return isShown ? row : undefined;
  }

  /** The customer with this id, unless erased. */
  customer(id: unknown): Row | undefined {
    const row = this.find("customer", id);
    return row?.erased ? undefined : row;
  }

  nameOf(id: unknown): string {
    const customer = this.customer(id);
    return customer === undefined ? "" : `${customer.first_name} ${customer.last_name}`;
  }

  /** 1 for friends, 0 while one has asked the other, -1 otherwise. */
  friendStatus(one: unknown, other: unknown): number {
    return this.find("friendship", one, other)?.status ?? -1;
  }

  /** A customer's balance, at all stores or at those that `isCounted`. */
  balance(id: unknown, isCounted: (storeId: string) => boolean = () => true): number {
    const ofCustomer = this.all("balance_entry").filter(({ customer_id }) => customer_id === id);
    const entries = ofCustomer.filter(({ store_id }) => isCounted(store_id));
    return sum(entries, ({ amount }) => toHundredths(amount)) / 100;
  }

  /** The stores that a customer has joined, without those that answers may not show. */
  joinedStores(id: unknown): Row[] {
    const memberships = this.all("membership").filter(({ customer_id, joined }) => customer_id === id && joined);
    return memberships.flatMap(({ store_id }) => this.shown("store", store_id) ?? []);
  }
}

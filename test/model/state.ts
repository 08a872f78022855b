import { KINDS, type Kind, type Row } from "./kinds.ts";
import { toHundredths } from "./values.ts";

/** The key of a record within its kind. The two customers of a friendship may come in either order. */
export function keyOf({ record, key }: Pick<Kind, "record" | "key">, row: Row): string {
  const parts = key.map((field) => row[field]);
  return JSON.stringify(record === "friendship" ? parts.sort() : parts);
}

export const sum = (rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((total, row) => total + value(row), 0);

/** A table of records for each kind, by their keys. Records keep the order in which they were first stored. */
export class State {
  readonly #tables: Map<string, Map<string, Row>>;
  /** The kinds whose tables belong to this state alone. It shares the others with the state that it was copied from. */
  readonly #ownTables = new Set<string>();
  readonly #lists = new Map<string, readonly Row[]>();
  /** The stamp, which is the time of the last messages, and the time of D1's clock when they were stored. */
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
    this.#lists.delete(record);
    if (row === undefined) this.#tables.get(record)?.delete(key);
    else this.#tables.get(record)?.set(key, row);
  }

  /** Changes the records for which `isChanged` is true. Removes those for which `newFields` returns undefined. */
  change(record: string, isChanged: (row: Row) => boolean, newFields: (row: Row) => Row | undefined): void {
    for (const [key, row] of [...this.table(record)])
      if (isChanged(row)) {
        const fields = newFields(row);
        this.store(record, key, fields && { ...row, ...fields });
      }
  }

  all(record: string): readonly Row[] {
    const list = this.#lists.get(record) ?? [...this.table(record).values()];
    this.#lists.set(record, list);
    return list;
  }

  find(record: string, ...key: unknown[]): Row | undefined {
    return this.table(record).get(JSON.stringify(record === "friendship" ? key.sort() : key));
  }

  /** A copy, which shares tables with this state. After this, only the copy may be changed. */
  copy(): State {
    const copy = new State(new Map(this.#tables));
    copy.clock = { ...this.clock };
    return copy;
  }

  /** A record that answers may show: neither it nor its account is deleted. */
  shown(record: string, id: unknown): Row | undefined {
    const row = this.find(record, id);
    if (row === undefined || row.deleted || (record !== "account" && !this.shown("account", row.account_id)))
      return undefined;
    return row;
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

  /** A customer's balance in hundredths, at all stores or at those that `isCounted`. */
  balance(id: unknown, isCounted: (storeId: string) => boolean = () => true): number {
    const entries = this.all("balance_entry").filter((one) => one.customer_id === id && isCounted(one.store_id));
    return sum(entries, ({ amount }) => toHundredths(amount));
  }

  /** The stores that a customer has joined, without those that answers may not show. */
  joinedStores(id: unknown): Row[] {
    return this.all("membership")
      .filter((one) => one.customer_id === id && one.joined)
      .flatMap(({ store_id }) => this.shown("store", store_id) ?? []);
  }
}

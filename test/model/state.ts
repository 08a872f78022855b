import { KINDS, type Kind, type Row } from "./kinds.ts";
import { toHundredths } from "./values.ts";

/** The key of a record among its kind. The pair of a friendship has no order. */
export function keyOf({ record, key }: Pick<Kind, "record" | "key">, row: Row): string {
  const parts = key.map((field) => row[field]);
  return JSON.stringify(record === "friendship" ? parts.sort() : parts);
}

export const sum = (rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((all, row) => all + value(row), 0);

/** All records: of each kind by their keys, in the order in which they were first stored. */
export class State {
  readonly #tables: Map<string, Map<string, Row>>;
  /** The kinds whose tables this state does not share with a copy. */
  readonly #own = new Set<string>();
  readonly #lists = new Map<string, readonly Row[]>();
  /** The last stamp of messages, and the time of D1's clock when it was taken. */
  clock = { stamp: "", said: "" };

  constructor(tables = new Map(KINDS.map(({ record }) => [record, new Map<string, Row>()]))) {
    this.#tables = tables;
  }

  table(record: string): ReadonlyMap<string, Row> {
    const table = this.#tables.get(record);
    if (table === undefined) throw new Error(`There are no records of the kind ${record}.`);
    return table;
  }

  /** Replaces the record with this key; undefined: removes it. Rows are never changed in place, because copies share them. */
  store(record: string, key: string, row: Row | undefined): void {
    if (!this.#own.has(record)) this.#tables.set(record, new Map(this.table(record)));
    this.#own.add(record);
    this.#lists.delete(record);
    if (row === undefined) this.#tables.get(record)?.delete(key);
    else this.#tables.get(record)?.set(key, row);
  }

  /** Changes some fields of some records, or removes the records. */
  change(record: string, isChanged: (row: Row) => boolean, changed: (row: Row) => Row | undefined): void {
    for (const [key, row] of [...this.table(record)])
      if (isChanged(row)) {
        const change = changed(row);
        this.store(record, key, change && { ...row, ...change });
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

  /** A copy, which shares tables with this state. From then on only the copy may be changed. */
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

  /** A customer, unless erased. */
  customer(id: unknown): Row | undefined {
    const row = this.find("customer", id);
    return row?.erased ? undefined : row;
  }

  nameOf(id: unknown): string {
    const customer = this.customer(id);
    return customer === undefined ? "" : `${customer.first_name} ${customer.last_name}`;
  }

  /** 1: friends, 0: a request is pending, -1: neither. */
  friendStatus(one: unknown, other: unknown): number {
    return this.find("friendship", one, other)?.status ?? -1;
  }

  /** A customer's balance in hundredths, at all stores or at some. */
  balance(id: unknown, isCounted: (storeId: string) => boolean = () => true): number {
    const entries = this.all("balance_entry").filter((one) => one.customer_id === id && isCounted(one.store_id));
    return sum(entries, ({ amount }) => toHundredths(amount));
  }

  /** The stores that a customer has joined, and that answers may show. */
  joinedStores(id: unknown): Row[] {
    return this.all("membership")
      .filter((one) => one.customer_id === id && one.joined)
      .flatMap(({ store_id }) => this.shown("store", store_id) ?? []);
  }
}

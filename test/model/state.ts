import { KINDS, type Kind, type Row } from "./kinds.ts";
import { toHundredths } from "./values.ts";

/** What tells the records of a kind apart. The pair of a friendship has no order. */
export function keyOf({ record, key }: Pick<Kind, "record" | "key">, row: Row): string {
  const parts = key.map((field) => row[field]);
  return JSON.stringify(record === "friendship" ? parts.sort() : parts);
}

export const sum = (rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((all, row) => all + value(row), 0);

/** Everything that is stored: of each kind its records by their keys, in the order in which they were first stored. */
export class State {
  readonly #tables = new Map(KINDS.map(({ record }) => [record, new Map<string, Row>()]));
  /** The clock of messages: the last stamp, and what D1's clock said then. */
  clock = { stamp: "", said: "" };

  table(record: string): Map<string, Row> {
    const table = this.#tables.get(record);
    if (table === undefined) throw new Error(`There are no records of the kind ${record}.`);
    return table;
  }

  all(record: string): Row[] {
    return [...this.table(record).values()];
  }

  find(record: string, ...key: unknown[]): Row | undefined {
    return this.table(record).get(JSON.stringify(record === "friendship" ? key.sort() : key));
  }

  copy(): State {
    const copy = new State();
    for (const [record, table] of this.#tables) for (const [key, row] of table) copy.table(record).set(key, { ...row });
    copy.clock = { ...this.clock };
    return copy;
  }

  /** A record that is stored and not deleted, in an account that is not deleted: what answers may show. */
  shown(record: string, id: unknown): Row | undefined {
    const row = this.find(record, id);
    if (row === undefined || row.deleted || (record !== "account" && !this.shown("account", row.account_id)))
      return undefined;
    return row;
  }

  /** A customer who is stored: one who was erased is not. */
  customer(id: unknown): Row | undefined {
    const row = this.find("customer", id);
    return row?.erased ? undefined : row;
  }

  nameOf(id: unknown): string {
    const customer = this.customer(id);
    return customer === undefined ? "" : `${customer.first_name} ${customer.last_name}`;
  }

  /** 1 friends, 0 request pending, -1 neither. */
  friendStatus(one: unknown, other: unknown): number {
    return this.find("friendship", one, other)?.status ?? -1;
  }

  /** A customer's balance in hundredths: over all stores, or over some. */
  balance(id: unknown, isCounted: (storeId: string) => boolean = () => true): number {
    const entries = this.all("balance_entry").filter((one) => one.customer_id === id && isCounted(one.store_id));
    return sum(entries, ({ amount }) => toHundredths(amount));
  }

  /** The stores that a customer has joined and answers may show. */
  joinedStores(id: unknown): Row[] {
    return this.all("membership")
      .filter((one) => one.customer_id === id && one.joined)
      .flatMap(({ store_id }) => this.shown("store", store_id) ?? []);
  }
}

import { env } from "cloudflare:workers";
import { findTeam } from "../../../src/customer/stores/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { type FeedLine, feed, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { type Ask, type Join, Program } from "./model.ts";

export const STORES = 3;
export const CUSTOMERS = 11;
export const FIRST_NAMES = ["Al", "Bo", "Cy"];

const PAGE_SIZE = 100;

/** Something that happens to the program; stores, customers and names by their places. */
export type Step =
  | { do: "join"; lines: Join[] }
  | { do: "leave" | "return"; store: number; customers: number[] }
  | { do: "write"; customer: number; name: number }
  | { do: "erase"; customer: number }
  | { do: "soft-delete"; store: number; isDeleted: boolean }
  | { do: "befriend"; one: number; other: number; status: 0 | 1 }
  | { do: "book"; store: number; customer: number; hundredths: number }
  | { do: "earn"; store: number; customer: number; level: number; hundredths: number };

/** The program in the database beside the model of it. */
export class World {
  readonly model: Program;
  readonly #account = seed.account();
  readonly #stores = Array.from({ length: STORES }, () => seed.store(this.#account.id));
  readonly #customers = Array.from({ length: CUSTOMERS }, () => seed.customer({ first_name: FIRST_NAMES[0] }));

  constructor() {
    const names = this.#customers.map(() => `${FIRST_NAMES[0]} Lovelace`);
    this.model = new Program(
      this.#customers.map(({ id }) => id),
      names,
      STORES,
    );
  }

  async open(): Promise<void> {
    await mustFeed([this.#account, ...this.#stores, ...this.#customers]);
  }

  /** Does a step in both; whether both take it, or both refuse it. */
  async take(step: Step): Promise<boolean> {
    const { model } = this;
    const customer = (place: number) => this.#customers[place]?.id;
    const store = (place: number) => this.#stores[place]?.id;
    const key = (storePlace: number, customerPlace: number) => ({
      store_id: store(storePlace),
      customer_id: customer(customerPlace),
    });
    const isGone = (place: number) => model.names[place] === null;
    switch (step.do) {
      case "join": {
        const lines = step.lines.map((one) =>
          seed.membership(store(one.store), customer(one.customer), {
            referrer_id: one.referrer === null ? null : customer(one.referrer),
          }),
        );
        return (await this.#isTaken(lines)) === model.join(step.lines);
      }
      case "return": {
        const joins = step.customers
          .filter((one) => model.hasMembership(step.store, one))
          .map((one) => ({ store: step.store, customer: one, referrer: null }));
        return (
          (await this.#isTaken(joins.map((one) => seed.membership(store(one.store), customer(one.customer))))) ===
          model.join(joins)
        );
      }
      case "leave":
        for (const one of step.customers) model.leave(step.store, one);
        return this.#isTaken(step.customers.map((one) => seed.deleted("membership", key(step.store, one))));
      case "write":
        model.write(step.customer, `${FIRST_NAMES[step.name]} Lovelace`);
        return this.#isTaken([{ ...this.#customers[step.customer], first_name: FIRST_NAMES[step.name] }]);
      case "erase":
        model.erase(step.customer);
        return this.#isTaken([seed.deleted("customer", { id: customer(step.customer) })]);
      case "soft-delete":
        model.softDelete(step.store, step.isDeleted);
        return this.#isTaken([
          step.isDeleted ? seed.deleted("store", { id: store(step.store) }) : { ...this.#stores[step.store] },
        ]);
      case "befriend":
        if (step.one === step.other || isGone(step.one) || isGone(step.other)) return true;
        model.befriend(step.one, step.other, step.status);
        return this.#isTaken([seed.friendship(customer(step.one), customer(step.other), step.status)]);
      case "book":
        if (isGone(step.customer)) return true;
        model.book(step.store, step.customer, step.hundredths);
        return this.#isTaken([seed.entry(customer(step.customer), store(step.store), decimal(step.hundredths))]);
      case "earn": {
        const isMember = model.hasMembership(step.store, step.customer) && !isGone(step.customer);
        if (isMember) model.earn(step.store, step.customer, step.level, step.hundredths);
        const line = seed.earning(store(step.store), customer(step.customer), step.level, decimal(step.hundredths));
        return (await this.#isTaken([line])) === isMember;
      }
    }
  }

  async #isTaken(lines: readonly FeedLine[]): Promise<boolean> {
    const { status } = await feed(lines);
    if (status !== 200 && status !== 422) throw new Error(`answered ${status}`);
    return status === 200;
  }

  /** The derived totals of the database, as the model counts them. */
  async derivedTotals(): Promise<unknown[]> {
    const ids = this.#stores.map(({ id }) => id);
    const stored = await rows(
      "SELECT * FROM public_memberships WHERE store_id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
    return stored.map((row) => [
      ids.indexOf(String(row.store_id)),
      row.customer_id,
      row.joined === 1,
      ...[1, 2, 3, 4, 5].map((level) => row[`members_${level}`]),
    ]);
  }

  async team({ store, caller, root, level, offset }: Ask): Promise<unknown[] | null> {
    const { isStore, isRoot, items } = await findTeam(new Database(env.DB, "first-unconstrained"), {
      customerId: String(this.#customers[caller]?.id),
      storeId: String(this.#stores[store]?.id),
      rootId: String(this.#customers[root]?.id),
      level: level ?? undefined,
      page: { offset, limit: PAGE_SIZE },
    });
    return isStore && isRoot ? items.map(({ avatar, customer_description, ...item }) => item) : null;
  }
}

const decimal = (hundredths: number): string => (hundredths / 100).toFixed(2);

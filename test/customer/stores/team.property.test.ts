import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, it } from "vitest";
import { findTeam } from "../../../src/customer/stores/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { type FeedLine, feed, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { type Ask, type Join, Program } from "./model.ts";

const STORES = 3;
const CUSTOMERS = 11;
const PAGE_SIZE = 100;
const FIRST_NAMES = ["Al", "Bo", "Cy"];

const store = fc.nat(STORES - 1);
const customer = fc.nat(CUSTOMERS - 1);
const hundredths = fc.integer({ min: -5_000, max: 5_000 });

/** A forest over customers as the place of each one's referrer among those before: wide, deep or anything. */
const forest = fc.constantFrom("wide", "deep", "any").chain((shape) =>
  fc.tuple(
    ...Array.from({ length: CUSTOMERS }, (_, place) => {
      if (place === 0) return fc.constant(null);
      if (shape === "wide") return fc.constantFrom(0, 0, 0, place - 1);
      if (shape === "deep") return fc.constantFrom(place - 1, place - 1, place - 1, Math.floor(place / 2));
      return fc.option(fc.nat(place - 1));
    }),
  ),
);
const join: fc.Arbitrary<Join> = fc.record({ store, customer, referrer: fc.option(customer) });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("join" as const), lines: fc.array(join, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("leave" as const),
      store,
      customers: fc.uniqueArray(customer, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("return" as const),
      store,
      customers: fc.uniqueArray(customer, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("write" as const), customer, name: fc.nat(FIRST_NAMES.length - 1) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("erase" as const), customer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("set aside" as const), store, isSetAside: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("befriend" as const),
      one: customer,
      other: customer,
      status: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("book" as const), store, customer, hundredths }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("earn" as const),
      store,
      customer,
      level: fc.integer({ min: 1, max: 5 }),
      hundredths,
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const asks: fc.Arbitrary<Ask[]> = fc.array(
  fc
    .record({
      store,
      caller: customer,
      root: fc.option(customer),
      level: fc.option(fc.integer({ min: 1, max: 5 })),
      offset: fc.nat(3),
    })
    .map(({ root, ...ask }) => ({ ...ask, root: root ?? ask.caller })),
  { minLength: 3, maxLength: 3 },
);
const everywhere = Array.from({ length: STORES * CUSTOMERS }, (_, place) => ({
  store: place % STORES,
  customer: Math.floor(place / STORES),
}));
const histories = fc.record({
  forests: fc.tuple(forest, forest, forest),
  /** Who joins in the first request, in which order; each brings those above. */
  first: fc.shuffledSubarray(everywhere, { minLength: 5 }),
  steps: fc.array(fc.tuple(step, asks), { minLength: 8, maxLength: 14 }),
});

/** The program in the database beside the model of it. */
class World {
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
      case "set aside":
        model.setAside(step.store, step.isSetAside);
        return this.#isTaken([
          step.isSetAside ? seed.deleted("store", { id: store(step.store) }) : { ...this.#stores[step.store] },
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

  /** The totals that the database keeps, as the model counts them. */
  async keptTotals(): Promise<unknown[]> {
    const ids = this.#stores.map(({ id }) => id);
    const kept = await rows(
      "SELECT * FROM memberships WHERE store_id IN (SELECT value FROM json_each(?))",
      JSON.stringify(ids),
    );
    return kept.map((row) => [
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

/** Those memberships and all above them, in an order that feed.md allows and that is otherwise the given one. */
function referrersFirst(
  forests: readonly (readonly (number | null)[])[],
  wanted: readonly Pick<Join, "store" | "customer">[],
): Join[] {
  const lines = new Map<string, Join>();
  const add = (store: number, customer: number) => {
    const referrer = forests[store]?.[customer] ?? null;
    if (referrer !== null) add(store, referrer);
    lines.set(`${store} ${customer}`, { store, customer, referrer });
  };
  for (const { store, customer } of wanted) add(store, customer);
  return [...lines.values()];
}

const decimal = (hundredths: number): string => (hundredths / 100).toFixed(2);
const inAnyOrder = (totals: readonly unknown[]): string[] => totals.map((one) => JSON.stringify(one)).sort();

describe("teams", () => {
  it("are those of a walk over the forest, and the totals those of a recount, after every step", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ forests, first, steps }) => {
        const world = new World();
        await world.open();
        const trees = forests.map((forest, store) =>
          forest.map((referrer, customer) => ({ store, customer, referrer })),
        );
        expect(await world.take({ do: "join", lines: trees.flat() })).toBe(true);

        for (const [step, asks] of steps) {
          expect(await world.take(step), JSON.stringify(step)).toBe(true);
          expect(inAnyOrder(await world.keptTotals())).toEqual(inAnyOrder(world.model.totals()));
          for (const ask of asks) expect(await world.team(ask)).toEqual(world.model.team(ask));
        }
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});

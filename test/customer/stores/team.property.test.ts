import fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import { propertyRuns } from "../../support/property-runs.ts";
import { createPublicViews } from "../../support/public-views.ts";
import type { Ask, Join } from "./model.ts";
import { CUSTOMERS, FIRST_NAMES, STORES, type Step, World } from "./world.ts";

beforeAll(createPublicViews);

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

const step: fc.Arbitrary<Step> = fc.oneof(
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
  { weight: 3, arbitrary: fc.record({ do: fc.constant("soft-delete" as const), store, isDeleted: fc.boolean() }) },
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
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("earn" as const),
      store,
      customer,
      level: fc.integer({ min: 1, max: 5 }),
      hundredths,
    }),
  },
);
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
  { minLength: 6, maxLength: 6 },
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

/** Those memberships and all above them, in the given order as far as docs/contract/feed.md, 1 allows it. */
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

const inAnyOrder = (totals: readonly unknown[]): string[] => totals.map((one) => JSON.stringify(one)).sort();

describe("teams", () => {
  it("are those of a walk over the forest, and the totals those of a recount, after every step", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ forests, first, steps }) => {
        const world = new World();
        await world.open();
        expect(await world.take({ do: "join", lines: referrersFirst(forests, first) })).toBe(true);
        expect(inAnyOrder(await world.derivedTotals())).toEqual(inAnyOrder(world.model.totals()));

        for (const [step, asks] of steps) {
          expect(await world.take(step), JSON.stringify(step)).toBe(true);
          expect(inAnyOrder(await world.derivedTotals())).toEqual(inAnyOrder(world.model.totals()));
          for (const ask of asks) expect(await world.team(ask)).toEqual(world.model.team(ask));
        }
      }),
      propertyRuns(8),
    );
  });
});

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const PATH = "/api/v1/customer/full-search";
const WORD = "bgarciab";

const [caller, friend, asked, stranger, blocker] = Array.from({ length: 5 }, () => seed.customer({ last_name: WORD }));
const others = { caller, friend, asked, stranger, blocker };
// As the friend is asked for with a typo.
const namesake = seed.customer({ last_name: "bgaricab" });

async function search(whom: string | undefined, query: string, by = caller) {
  Object.assign(env, { CUSTOMER_SEARCH: whom });
  const answer = await as(String(by?.id)).post(PATH, { query, filter: "customers" });
  const names = answer.body.customers.map(({ id }: { id: unknown }) =>
    Object.entries(others).flatMap(([name, one]) => (one?.id === id ? [name] : [])),
  );
  return { names: names.flat(), forgiven: answer.body.forgiven, trips: trips(answer), all: answer.body.customers };
}

beforeAll(() =>
  mustFeed([
    ...Object.values(others).filter((one) => one !== undefined),
    namesake,
    seed.friendship(friend?.id, caller?.id),
    seed.friendship(caller?.id, blocker?.id),
    seed.friendship(caller?.id, asked?.id, 0),
    seed.block(blocker?.id, caller?.id),
  ]),
);

afterEach(() => {
  Object.assign(env, { CUSTOMER_SEARCH: "all" });
});

describe("CUSTOMER_SEARCH", () => {
  it.for([
    ["all", ["caller", "friend", "asked", "stranger"]],
    ["", ["caller", "friend", "asked", "stranger"]],
    [undefined, ["caller", "friend", "asked", "stranger"]],
    ["friends", ["caller", "friend"]],
    ["none", ["caller"]],
    ["Friends", ["caller"]],
    ["off", ["caller"]],
  ] as const)("%j: a search finds %j, in one round trip", async ([whom, names], { expect }) => {
    const found = await search(whom, WORD);

    expect(found.names).toEqual(names);
    expect(found.trips).toBe(1);
  });

  it.for([
    ["friends", ["caller", "friend"]],
    ["none", ["caller"]],
  ] as const)("%s: by a typo, which a stranger's name is, a search finds %j", async ([whom, names], { expect }) => {
    const found = await search(whom, "bgaricab");

    expect(found.names).toEqual(names);
    expect(found.forgiven).toEqual(["bgaricab"]);
    expect(found.trips).toBeLessThanOrEqual(3);
  });

  it.for(["friends", "none"])("%s: a stranger's name is not among the forgiven words", async (whom, { expect }) => {
    const stranger = seed.customer({ first_name: "Bob" });
    await mustFeed([stranger]);

    const found = await search(whom, "bgarciba", stranger);

    expect(found.all).toEqual([]);
    expect(found.forgiven).toBeUndefined();
  });

  it.for(["friends", "none"])("%s: a customer who is not stored finds nobody", async (whom, { expect }) => {
    expect((await search(whom, WORD, seed.customer())).all).toEqual([]);
  });
});

describe("the balance of a customer who is found", () => {
  it("is shown to the customer and to friends, and to nobody else", async ({ expect }) => {
    const store = seed.store(seed.freshAccountId());
    await mustFeed([
      seed.account({ id: store.account_id }),
      store,
      ...Object.values(others).map((one) => seed.entry(one?.id, store.id, "2.50")),
    ]);

    const balances = (await search("all", WORD)).all.map(({ balance }: { balance: number }) => balance);

    expect(balances).toEqual([2.5, 2.5, 0, 0]);
  });
});

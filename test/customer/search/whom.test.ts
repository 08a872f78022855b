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

  it.for(["friends", "none"])("%s: a customer who is not stored finds nobody", async (whom, { expect }) => {
    expect((await search(whom, WORD, seed.customer())).all).toEqual([]);
  });
});

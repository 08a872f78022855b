import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, it } from "vitest";
import { as, mustFeed, trips } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

const WORD = "bgarciab";
const [caller, friend, stranger] = [
  seed.customer({ last_name: WORD }),
  seed.customer({ last_name: WORD }),
  seed.customer({ last_name: WORD }),
];
const [ONLY_SELF, WITH_FRIENDS, EVERYBODY] = [[caller.id], [caller.id, friend.id], [caller.id, friend.id, stranger.id]];

beforeAll(() => mustFeed([caller, friend, stranger, seed.friendship(friend.id, caller.id)]));
afterEach(() => {
  Object.assign(env, { CUSTOMER_SEARCH: "all" });
});

describe("CUSTOMER_SEARCH", () => {
  it.for([
    ["all", EVERYBODY],
    ["", EVERYBODY],
    [undefined, EVERYBODY],
    ["friends", WITH_FRIENDS],
    ["none", ONLY_SELF],
    ["Friends", ONLY_SELF],
    ["off", ONLY_SELF],
  ] as const)("as %j lets a search find %j, in one round trip", async ([setting, foundIds], { expect }) => {
    Object.assign(env, { CUSTOMER_SEARCH: setting });

    const answer = await as(caller.id).post("/api/v1/customer/full-search", { query: WORD, filter: "customers" });

    expect(answer.body.customers.map(({ id }: { id: string }) => id)).toEqual(foundIds);
    expect(trips(answer)).toBe(1);
  });
});

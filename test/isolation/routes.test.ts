import { beforeAll, describe, it } from "vitest";
import { type Answer, as, mustFeed } from "../support/api.ts";
import { customerRoutes, otherRoutes } from "../support/calls.ts";
import { type Program, program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";

// "I" am the customer of the first program. Texts of the second contain "theirs", which no answer to me may contain.
const mine = program("mine-only");
const theirs = program("theirs-only");

type Api = ReturnType<typeof as>;

interface Reach {
  /** The foreign data that I try to reach. */
  what: string;
  ask: (api: Api, my: Program) => Promise<Answer>;
  /** A request of the owner whose answer contains the data. The default is `ask`. */
  control?: (api: Api) => Promise<Answer>;
}

const CUSTOMER = "/api/v1/customer";
const NEARBY = `${CUSTOMER}/campaigns/near-by-popular-campaigns`;
const here = { latitude: 35.47, longitude: -97.52 };
const search = (query: string, filter?: string) => (api: Api) => api.post(`${CUSTOMER}/full-search`, { query, filter });
const board = (location: unknown, campaign: unknown) => (api: Api) =>
  api.post(`${CUSTOMER}/gamification/leaderboard`, { location_id: location, eip_campaign_id: campaign });
const get = (path: string) => (api: Api) => api.get(`${CUSTOMER}${path}`);

const CURSOR = '{"time":"2030-01-01 00:00:00","group_id":"zzz","bookmark":""}';

/** For each endpoint, the foreign data that it could give away. */
const REACHES: Record<string, readonly Reach[]> = {
  [`POST ${NEARBY}`]: [
    {
      what: "another account's campaigns at the same position",
      ask: (api, my) => api.post(NEARBY, { ...here, single_account_id: my.account.id }),
      control: (api) => api.post(NEARBY, { ...here, single_account_id: theirs.account.id }),
    },
  ],
  [`GET ${CUSTOMER}/coupons`]: [
    { what: "another customer's coupons", ask: get("/coupons") },
    { what: "another customer's coupons in detail", ask: get("/coupons?includemfg=true&include_images=true") },
    { what: "another customer's coupons by account", ask: get(`/coupons?accountId=${theirs.account.id}`) },
    { what: "another customer's coupons by text", ask: get("/coupons?search=theirs-only") },
  ],
  [`GET ${CUSTOMER}/my-coupons`]: [
    { what: "another customer's coupons, and digital ones of other accounts", ask: get("/my-coupons") },
    { what: "another customer's coupons by store", ask: get(`/my-coupons?storeId=${theirs.store.id}`) },
    { what: "another customer's coupons by text", ask: get("/my-coupons?search=theirs-only&per_page=100") },
    { what: "digital coupons of another account", ask: get(`/my-coupons?digitalonly=1&storeId=${theirs.store.id}`) },
  ],
  [`GET ${CUSTOMER}/me`]: [{ what: "another customer, and accounts where only they have something", ask: get("/me") }],
  [`GET ${CUSTOMER}/me/entries`]: [
    { what: "another customer's entries", ask: get("/me/entries") },
    { what: "another customer's entries by account", ask: get(`/me/entries?account_id=${theirs.account.id}`) },
  ],
  [`GET ${CUSTOMER}/messages`]: [
    { what: "a group that I am no member of", ask: get("/messages?per_page=100") },
    { what: "a foreign group by a poll", ask: get("/messages?check_time=2000-01-01%2000:00:00") },
    { what: "a foreign group by a cursor", ask: get(`/messages?after=${encodeURIComponent(CURSOR)}`) },
  ],
  [`GET ${CUSTOMER}/stores/:id/team-with-level`]: [
    { what: "the team of a store that I have not joined", ask: get(`/stores/${theirs.store.id}/team-with-level`) },
    {
      what: "another's team at that store",
      ask: get(`/stores/${theirs.store.id}/team-with-level?team_member_id=${theirs.customer.id}`),
    },
  ],
  [`POST ${CUSTOMER}/full-search`]: [
    {
      what: "a stranger's private fields",
      ask: async (api) => withoutNames(await search("theirs", "customers")(api)),
    },
    { what: "a customer who has blocked me, by a typo", ask: search("thiers blokcer", "customers") },
    {
      what: "a stranger's private fields, by a typo",
      ask: async (api) => withoutNames(await search("thiers", "customers")(api)),
    },
    {
      what: "the inner fields of an account that is found",
      ask: async (api) => {
        const { body, ...answer } = await search("theirs", "stores")(api);
        const innerFields = body.stores.map(({ account }: { account: Record<string, unknown> }) => [
          account.core_tenant_id,
          account.core_app_account_id,
          account.loyalty_options,
        ]);
        return { ...answer, body: innerFields };
      },
      control: get("/my-coupons"),
    },
  ],
  [`POST ${CUSTOMER}/gamification/leaderboard`]: [
    {
      what: "another account's contest at my store",
      ask: (api, my) => board(my.store.id, theirs.contest.id)(api),
      control: board(theirs.store.id, theirs.contest.id),
    },
    {
      what: "my contest at another account's store",
      ask: (api, my) => board(theirs.store.id, my.contest.id)(api),
      control: board(theirs.store.id, null),
    },
  ],
};

/** Removes first names, which everybody may see. Replaces each shown birthday and balance by "theirs". */
function withoutNames({ body, ...answer }: Answer): Answer {
  const customers = body.customers.map(({ first_name, ...fields }: Record<string, unknown>) => ({
    ...fields,
    date_of_birth: fields.date_of_birth === null ? null : "theirs",
    balance: fields.balance === 0 ? 0 : "theirs",
  }));
  return { ...answer, body: customers };
}

/** The API with a customer's token, but with the id of their customer in the query and in the body. */
function apiWithForeignIds(customerId: string): Api {
  const foreignIds = `customer_id=${theirs.customer.id}&customerId=${theirs.customer.id}&sub=${theirs.customer.id}`;
  const api = as(customerId);
  return {
    get: (path) => api.get(`${path}${path.includes("?") ? "&" : "?"}${foreignIds}`),
    post: (path, body) =>
      api.post(`${path}?${foreignIds}`, {
        ...(body as object),
        customer_id: theirs.customer.id,
        sub: theirs.customer.id,
      }),
  };
}

const blocker = seed.customer({ first_name: "theirs-blocker" });

beforeAll(() => mustFeed([...mine.lines, ...theirs.lines, blocker, seed.block(blocker.id, mine.customer.id)]));

describe("what a customer can reach", () => {
  it("is tried at every endpoint", ({ expect }) => {
    expect(Object.keys(REACHES).sort()).toEqual(customerRoutes());
    // The socket, the feed and tills have tests of their own. /health shows nobody's data.
    expect(otherRoutes()).toEqual([
      "DELETE /api/v1/till/holds/:id",
      "GET /api/v1/customer/live",
      "GET /api/v1/feed",
      "GET /api/v1/feed/changes",
      "GET /api/v1/feed/requests",
      "GET /api/v1/till/customers/:id/coupons",
      "GET /api/v1/till/explanations",
      "GET /health",
      "POST /api/v1/feed",
      "POST /api/v1/till/customers/find",
      "POST /api/v1/till/entries",
      "POST /api/v1/till/holds",
      "POST /api/v1/till/redemptions",
      "POST /api/v1/till/reversals",
    ]);
  });

  const cases = Object.entries(REACHES).flatMap(([route, reaches]) => reaches.map((reach) => ({ route, ...reach })));

  it.for(cases)("does not include $what: $route", async ({ ask, control }, { expect }) => {
    const myAnswer = await ask(apiWithForeignIds(String(mine.customer.id)), mine);
    const ownersAnswer = await (control ?? ((api) => ask(api, theirs)))(as(String(theirs.customer.id)));

    expect(myAnswer.status).toBeLessThan(500);
    expect(JSON.stringify(myAnswer.body)).not.toMatch(/theirs/);
    expect(JSON.stringify(ownersAnswer.body)).toMatch(/theirs/);
    expect(JSON.stringify([myAnswer.body, ownersAnswer.body])).not.toContain("theirs-only password");
  });
});

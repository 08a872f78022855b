import { METHOD_NAME_ALL } from "hono/router";
import { app } from "../../src/app.ts";
import type { Answer, as } from "./api.ts";
import type { Program } from "./programs.ts";

type Call = (api: ReturnType<typeof as>, program: Program) => Promise<Answer>;

const CUSTOMER = "/api/v1/customer";

/** A call of each endpoint at which customers read. Each call finds something in the program. */
export const CALLS: Record<string, Call> = {
  [`POST ${CUSTOMER}/campaigns/near-by-popular-campaigns`]: (api, { account }) =>
    api.post(`${CUSTOMER}/campaigns/near-by-popular-campaigns`, {
      latitude: 35.47,
      longitude: -97.52,
      single_account_id: account.id,
    }),
  [`GET ${CUSTOMER}/coupons`]: (api) => api.get(`${CUSTOMER}/coupons?includemfg=true`),
  [`GET ${CUSTOMER}/my-coupons`]: (api) => api.get(`${CUSTOMER}/my-coupons`),
  [`GET ${CUSTOMER}/messages`]: (api) => api.get(`${CUSTOMER}/messages`),
  [`GET ${CUSTOMER}/me`]: (api) => api.get(`${CUSTOMER}/me`),
  [`GET ${CUSTOMER}/me/entries`]: (api) => api.get(`${CUSTOMER}/me/entries`),
  [`GET ${CUSTOMER}/stores/:id/team-with-level`]: (api, { store }) =>
    api.get(`${CUSTOMER}/stores/${store.id}/team-with-level`),
  [`POST ${CUSTOMER}/full-search`]: (api, { mark }) => api.post(`${CUSTOMER}/full-search`, { query: mark }),
  [`POST ${CUSTOMER}/gamification/leaderboard`]: (api, { store, contest }) =>
    api.post(`${CUSTOMER}/gamification/leaderboard`, { location_id: store.id, eip_campaign_id: contest.id }),
};

/** A call of each endpoint at which customers write. */
export const WRITES: Record<string, Call> = {
  [`PUT ${CUSTOMER}/messages/:group_id/state`]: (api, { recordOf }) =>
    api.put(`${CUSTOMER}/messages/${recordOf.message_group?.id}/state`, { notifications_disabled: 1 }),
  [`PUT ${CUSTOMER}/blocks/:customer_id`]: (api, { friend }) => api.put(`${CUSTOMER}/blocks/${friend.id}`),
  [`DELETE ${CUSTOMER}/blocks/:customer_id`]: (api, { friend }) => api.delete(`${CUSTOMER}/blocks/${friend.id}`),
  [`POST ${CUSTOMER}/me/requests`]: (api) => api.post(`${CUSTOMER}/me/requests`, { type: "data" }),
};

const served = app.routes.filter(({ method }) => method !== METHOD_NAME_ALL);
/** All endpoints, as `METHOD /path`. A handler for all methods is middleware, so it is left out. */
export const routes: string[] = [...new Set(served.map(({ method, path }) => `${method} ${path}`))];

// The socket answers no JSON, so test/live tests it.
const isForCustomers = (route: string) => route.includes(` ${CUSTOMER}/`) && !route.endsWith("/live");

export const customerRoutes = (): string[] =>
  routes.filter((route) => isForCustomers(route) && !(route in WRITES)).sort();
export const otherRoutes = (): string[] => routes.filter((route) => !isForCustomers(route)).sort();

import { linkOf } from "../../../scripts/lib/call.ts";
import { ACCOUNT, CUSTOMERS, STORES } from "../lines.ts";
import { type Answer, asCustomer, asSystem, type Call } from "../network.ts";
import { LOCATIONS } from "../world.ts";
import { rest, type Stage } from "./actor.ts";

const WAIT_MS = 4_000;

/** What is read beside messages. */
export const READINGS: readonly (Pick<Call, "path"> & { body?: object })[] = [
  { path: "/api/v1/customer/coupons" },
  { path: "/api/v1/customer/coupons" },
  { path: "/api/v1/customer/me" },
  { path: "/api/v1/customer/my-coupons?includemfg=1" },
  { path: "/api/v1/customer/full-search", body: { query: "street" } },
  { path: "/api/v1/customer/full-search", body: { query: "adda" } },
  { path: "/api/v1/customer/stores/s1/team-with-level" },
  {
    path: "/api/v1/customer/campaigns/near-by-popular-campaigns",
    body: { latitude: 35.47, longitude: -97.52, single_account_id: ACCOUNT },
  },
  ...STORES.map((store) => ({ path: "/api/v1/customer/gamification/leaderboard", body: { location_id: store } })),
];

/** An app that asks every other endpoint, with the bookmark of its last answer: what it has seen, it sees again. */
export async function reader(stage: Stage, number: number): Promise<void> {
  const { world, network } = stage;
  const random = world.random(`reader ${number}`);
  const customerId = CUSTOMERS[number % 4] ?? "";
  let bookmark: string | null = null;
  let { setBackAt } = world;
  const uses = new Map<string, number>();
  while (!stage.isOver()) {
    await rest(stage, random, WAIT_MS);
    if (world.setBackAt !== setBackAt || random.next() < 0.05) {
      bookmark = null;
      uses.clear();
      ({ setBackAt } = world);
    }
    const { path, body } = random.pick(READINGS);
    const answer: Answer | null = await network
      .send({
        location: random.pick(LOCATIONS),
        path,
        headers: { ...asCustomer(world, customerId), ...(bookmark !== null && { "X-D1-Bookmark": bookmark }) },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      })
      .catch(() => null);
    if (answer === null || answer.status >= 500 || world.setBackAt !== setBackAt) continue;
    if (!path.endsWith("/coupons") || answer.status !== 200) continue;
    bookmark = answer.headers.get("X-D1-Bookmark");
    if (bookmark === null) world.fail("a bookmark shows what was seen with it", `${path} gives no bookmark`);
    for (const { id, usage_count: count } of answer.json.items ?? []) {
      const before = uses.get(id) ?? 0;
      if (count < before)
        world.fail("a bookmark shows what was seen with it", `coupon ${id}: ${before} uses, then ${count}`);
      uses.set(id, count);
    }
  }
}

/** Takes everything out, page by page, and begins again. */
export async function exporter(stage: Stage): Promise<void> {
  const { world, network } = stage;
  const random = world.random("exporter");
  let next = "/api/v1/feed";
  while (!stage.isOver()) {
    await rest(stage, random, 20_000);
    const headers = asSystem(world, "export");
    const answer = await network.send({ location: random.pick(LOCATIONS), path: next, headers }).catch(() => null);
    if (answer === null || answer.status >= 500) continue;
    next = nextPath(answer) ?? "/api/v1/feed";
  }
}

/** The path of the next page, as the answer links to it. */
export function nextPath({ headers }: Answer): string | null {
  const address = linkOf({ headers });
  if (address === undefined) return null;
  const { pathname, search } = new URL(address);
  return pathname + search;
}

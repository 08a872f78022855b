import { linkOf } from "../../../scripts/lib/call.ts";
import type { Row } from "../../model/kinds.ts";
import type { State } from "../../model/state.ts";
import { ACCOUNT, CUSTOMERS, STORES } from "../lines.ts";
import type { Answer, Call } from "../network.ts";
import { LOCATIONS, type Location } from "../world.ts";
import { rest, type Stage } from "./actor.ts";

const WAIT_MS = 4_000;

const asking = (path: string, body: object) => ({ path, method: "POST" as const, body: JSON.stringify(body) });

/** What is read beside messages. */
export const READINGS: readonly Omit<Call, "location">[] = [
  { path: "/api/v1/customer/coupons" },
  { path: "/api/v1/customer/me" },
  { path: "/api/v1/customer/my-coupons?includemfg=1" },
  { path: "/api/v1/customer/stores/s1/team-with-level" },
  asking("/api/v1/customer/full-search", { query: "street" }),
  asking("/api/v1/customer/full-search", { query: "adda" }),
  asking("/api/v1/customer/campaigns/near-by-popular-campaigns", {
    latitude: 35.47,
    longitude: -97.52,
    single_account_id: ACCOUNT,
  }),
  ...STORES.map((store) => asking("/api/v1/customer/gamification/leaderboard", { location_id: store })),
];

/** An app that asks every other endpoint, mostly with the bookmark of its last answer. */
export async function reader(stage: Stage, number: number): Promise<void> {
  const { world, network } = stage;
  const random = world.random(`reader ${number}`);
  const customer = CUSTOMERS[number % 4] ?? "";
  let bookmark: string | null = null;
  while (!stage.isOver()) {
    await rest(stage, random, WAIT_MS);
    if (random.next() < 0.05) bookmark = null;
    const headers: Record<string, string> = bookmark === null ? {} : { "X-D1-Bookmark": bookmark };
    const call: Call = { ...random.pick(READINGS), location: random.pick(LOCATIONS), customer, headers };
    const answer: Answer | null = await network.send(call).catch(() => null);
    bookmark = answer?.headers.get("X-D1-Bookmark") ?? bookmark;
  }
}

/** An app that lists all entries of a customer. */
export async function entriesReader(stage: Stage): Promise<void> {
  const random = stage.world.random("reader of entries");
  while (!stage.isOver()) {
    await rest(stage, random, WAIT_MS);
    const [customer, location] = [random.pick(CUSTOMERS), random.pick(LOCATIONS)];
    await readEntries(stage, { customer, location, limit: random.pick([3, 20, 100]) }).catch(() => {});
  }
}

/** Reads a customer's entries page by page: no page repeats what another had, and all of them add up to the balances. */
export async function readEntries(
  { world, network, rules }: Stage,
  { limit, ...asked }: { customer: string; location: Location; limit: number },
): Promise<void> {
  const entries: Row[] = [];
  const states = new Set<State>();
  for (let path: string | null = `/api/v1/customer/me/entries?limit=${limit}`; path !== null; ) {
    const page = await network.send({ ...asked, path });
    if (page.status !== 200) return;
    entries.push(...page.json.items);
    for (const { state } of page.moments) states.add(state);
    path = nextPath(page);
  }
  const ids = entries.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size < ids.length) world.fail("no entry comes twice", `${asked.customer}: ${ids}`);
  const [state] = states;
  if (state !== undefined && states.size === 1) rules.model.checkEntries(asked.customer, entries, state);
}

/** Takes everything out, page by page, and begins again. */
export async function exporter(stage: Stage): Promise<void> {
  const { world, network } = stage;
  const random = world.random("exporter");
  let next = "/api/v1/feed";
  while (!stage.isOver()) {
    await rest(stage, random, 20_000);
    const call = { location: random.pick(LOCATIONS), path: next, scope: "export" };
    const answer = await network.send(call).catch(() => null);
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

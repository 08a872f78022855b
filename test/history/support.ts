import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { sealHistory } from "../../src/history/seal.ts";
import { as, type FeedLine, mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import { allPages } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { runSchedule } from "../support/schedule.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import { setVariables } from "../support/variables.ts";

/** In June, events from before May leave the database. */
export const LAST_LEAVING_SECOND = "2026-04-30 23:59:59";
export const FIRST_KEPT_SECOND = "2026-05-01 00:00:00";

/** Empties the database and the bucket. It is June 2026, and events from before May leave. */
export async function setUpHistory(): Promise<void> {
  const now = "2026-06-10 07:00:00";
  vi.useFakeTimers({ toFake: ["Date"] });
  await freshDatabase(now);
  await goTo(now);
  await env.TEST_HISTORY.put("owner", env.WORKER_NAME);
  keepMonths(1);
}

/** Moves the clocks of the Worker and of D1. */
export async function goTo(now: string): Promise<void> {
  vi.setSystemTime(`${now.replace(" ", "T")}Z`);
  await setClock(now);
}

/** Sets for how many months events stay before they move to the bucket. `undefined` turns history off. */
export function keepMonths(months: number | undefined, bucket: unknown = env.TEST_HISTORY): void {
  setVariables({
    HISTORY_MONTHS: months === undefined ? "" : String(months),
    HISTORY: months === undefined ? undefined : bucket,
  });
}

/** Feeds lines while history is off, so that the feed takes old events too. Then turns history on. */
export async function feedOld(...lines: FeedLine[]): Promise<void> {
  keepMonths(undefined);
  await mustFeed(lines);
  keepMonths(1);
}

/** A bucket with some methods replaced. */
export function bucketWith(methods: {
  put?: (...args: Parameters<R2Bucket["put"]>) => Promise<unknown>;
  head?: R2Bucket["head"];
}): object {
  const { TEST_HISTORY: bucket } = env;
  return {
    put: bucket.put.bind(bucket),
    get: bucket.get.bind(bucket),
    head: bucket.head.bind(bucket),
    ...methods,
  };
}

export const seal = () => runSchedule("seal history");

/** Takes some steps of the job that moves old events. Each step looks at `lookedAt` events of a kind. */
export function sealInPart(steps: number, lookedAt = 1, { bucket = env.TEST_HISTORY, database = env.DB } = {}) {
  let remainingSteps = steps;
  return sealHistory(new Database(database, "first-primary"), {
    settings: { months: 1, bucket },
    worker: env.WORKER_NAME,
    now: new Date(),
    mayGoOn: () => remainingSteps-- > 0,
    lookedAt,
  });
}

export const segments = () => rows("SELECT * FROM history_segments ORDER BY kind, month, number");

/** True for an event, and false for a row that sums up events that have left. */
export const IS_EVENT = "id NOT GLOB 'sealed:*'";

export const storedIds = async () =>
  (
    await rows(
      `SELECT id FROM (
        SELECT id FROM balance_entries UNION ALL SELECT id FROM token_earnings
        UNION ALL SELECT id FROM plays UNION ALL SELECT id FROM messages
      ) WHERE ${IS_EVENT} ORDER BY id`,
    )
  ).map(({ id }) => id);

/** The balance entries that sum up entries that have left. */
export const sealedEntries = () => rows(`SELECT * FROM balance_entries WHERE NOT (${IS_EVENT})`);

export const snapshotOfEvents = async () => [await storedIds(), await segments(), await sealedEntries()];

/** The names of the objects of all segments. */
export async function objects(): Promise<string[]> {
  return (await env.TEST_HISTORY.list()).objects.map(({ key }) => key).filter((key) => key !== "owner");
}

export async function linesOf(name: unknown): Promise<Record<string, unknown>[]> {
  const object = await env.TEST_HISTORY.get(String(name));
  if (object === null) throw new Error(`There is no object ${name}.`);
  const text = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

interface Entry {
  id: string | null;
  amount: number;
  account_id: string;
}

/** Reads a customer's entries page by page. */
export async function entryPages(customerId: string, target = "/api/v1/customer/me/entries"): Promise<Entry[][]> {
  return (await allPages(target, as(customerId).get)).map(({ body }) => body.items);
}

/** A store with a campaign, a member, an employee and a group of two customers, and functions that make its events. */
export function shop() {
  const account = seed.account();
  const store = seed.store(account.id);
  const campaign = seed.campaign(account.id, { store_ids: [store.id] });
  const [customer, otherCustomer] = [seed.customer(), seed.customer()];
  const employee = seed.employee(account.id);
  const contest = seed.eipCampaign(account.id);
  const group = seed.group([customer.id, otherCustomer.id]);
  const member = seed.membership(store.id, customer.id);
  return {
    lines: [account, store, campaign, customer, otherCustomer, employee, contest, group, member],
    customerId: customer.id,
    otherId: otherCustomer.id,
    groupId: group.id,
    entry: (amount: string, created_at: string, fields: object = {}) =>
      seed.entry(customer.id, store.id, amount, { created_at, ...fields }),
    earning: (tokens: string, earned_at: string) => ({ ...seed.earning(store.id, customer.id, 2, tokens), earned_at }),
    play: (runs: string, played_at: string) =>
      seed.play(contest.id, store.id, employee.id, { runs, hits: 1, played_at }),
    message: (sent_at: string, fields: object = {}) => seed.message(group.id, otherCustomer.id, { sent_at, ...fields }),
  };
}

import { CommandError } from "../lib/project.ts";
import { table } from "../lib/table.ts";
import type { Call } from "./cases.ts";
import { hostileSearches, many } from "./hostile-searches.ts";
import { feedCall, type Reply, send } from "./http.ts";
import { inRequests } from "./load.ts";
import { customerToken, type Runtime } from "./runtime.ts";

// Data that one account may feed to make the requests of others slow. test/budgets/growth/ tries every relation, but with few
// rows: here each shape has as many as make a difference.

type Line = Readonly<Record<string, unknown>>;

interface Shape {
  name: string;
  /** The most that SQLite may take, in milliseconds: the least of five requests. */
  limitMs: number;
  /** How many lines fit into a request of the feed; left out: 2,000. */
  linesARequest?: number;
  /** Lines of a later list refer to records of earlier lists. */
  lists: readonly Line[][];
  /** The request of a try. */
  call: (attempt: number) => Omit<Call, "token">;
}

const TRIES = 5;
const LIMIT_MS = 50;
const SEARCH_LIMIT_MS = 30;
const ACCOUNT = "999";
const CALLER = "hostile-caller";
const HERE = { latitude: -48.5, longitude: -123.5 };
const EMOJI = "😀".repeat(1_990);
const LONG_LINES = Array.from({ length: 20 }, () => "世".repeat(200));

const store = (id: string) => ({ record: "store", id, account_id: ACCOUNT, name: "Hostile", ...HERE });
const customer = (id: string) => ({ record: "customer", id, first_name: "Hostile", last_name: id });
const customerPath = (path: string) => `/api/v1/customer/${path}`;

/** The records that all shapes share. */
const BASE: Line[] = [{ record: "account", id: ACCOUNT, company: "Hostile" }, store("hostile-store"), customer(CALLER)];

/** The shapes with `count` rows of the relation that each is about. */
function shapesOf(count: number): Shape[] {
  const [stores, campaigns] = [Math.ceil(count / 5), Math.ceil(count / 100)];
  const storeIds = Array.from({ length: stores }, (_, index) => `hostile-store-${index}`);
  const members = Array.from({ length: 100 }, (_, index) => `hostile-member-${index}`);
  const membership = (store_id: string, customer_id: string) => ({ record: "membership", store_id, customer_id });
  const nearby = { ...HERE, single_account_id: ACCOUNT, count: 100 };
  return [
    {
      name: "campaigns that list each store nearby",
      limitMs: LIMIT_MS,
      linesARequest: Math.max(1, Math.floor(20_000 / stores)),
      lists: [
        storeIds.map(store),
        many(campaigns, (index) => ({
          record: "campaign",
          id: `hostile-campaign-${index}`,
          account_id: ACCOUNT,
          name: "Hostile",
          campaign_description: EMOJI,
          campaign_start_date: "2020-01-01",
          store_ids: storeIds,
        })),
      ],
      call: () => ({ path: customerPath("campaigns/near-by-popular-campaigns"), body: JSON.stringify(nearby) }),
    },
    {
      name: "stores that members of a team have joined, and one deleted store",
      limitMs: LIMIT_MS,
      lists: [
        [...members.map(customer), store("hostile-gone"), membership("hostile-store", CALLER)],
        members.map((id) => ({ ...membership("hostile-store", id), referrer_id: CALLER })),
        storeIds.slice(0, Math.ceil(stores / 4)).flatMap((id) => members.map((member) => membership(id, member))),
        [{ record: "store", id: "hostile-gone", deleted: true }],
      ],
      call: () => ({ path: customerPath("stores/hostile-store/team-with-level?per_page=100") }),
    },
    {
      name: "employees of a board with long avatars",
      limitMs: LIMIT_MS,
      linesARequest: 200,
      lists: [
        many(TRIES, (index) => ({
          record: "eip_campaign",
          id: `hostile-contest-${index}`,
          account_id: ACCOUNT,
          name: "Hostile",
          start_date: "2020-01-01",
        })),
        many(count, (index) => ({
          record: "employee",
          id: `hostile-employee-${index}`,
          account_id: ACCOUNT,
          name: `Hostile ${(index * 7_919) % count}`,
          avatar: EMOJI,
        })),
        many(count * TRIES, (index) => ({
          record: "play",
          id: `hostile-play-${index}`,
          eip_campaign_id: `hostile-contest-${index % TRIES}`,
          location_id: "hostile-store",
          employee_id: `hostile-employee-${Math.floor(index / TRIES)}`,
          hits: index % 997,
        })),
      ],
      // A board is cached for 30 seconds, so each try asks for another.
      call: (attempt) => ({
        path: customerPath("gamification/leaderboard"),
        body: JSON.stringify({ location_id: "hostile-store", eip_campaign_id: `hostile-contest-${attempt}` }),
      }),
    },
    {
      name: "uses of one coupon with long lines",
      limitMs: LIMIT_MS,
      lists: [
        [
          {
            record: "coupon",
            id: "hostile-coupon",
            account_id: ACCOUNT,
            kind: "store",
            name: "Hostile",
            type: "Free_Item",
            value: "1.00",
            header_lines: LONG_LINES,
            text_lines: LONG_LINES,
          },
        ],
        many(count, (index) => ({
          record: "customer_coupon",
          id: `hostile-use-${index}`,
          customer_id: CALLER,
          campaign_coupon_id: "hostile-coupon",
          store_id: "hostile-store",
        })),
      ],
      call: () => ({ path: customerPath("my-coupons?search=none") }),
    },
    ...hostileSearches(count, { account: ACCOUNT, caller: CALLER }).map(({ query, filter, ...shape }) => ({
      ...shape,
      limitMs: SEARCH_LIMIT_MS,
      call: () => ({ path: customerPath("full-search"), body: JSON.stringify({ query, filter, typos: false }) }),
    })),
  ];
}

/**
 * Feeds each shape, and asks for it five times. Resolves with a table.
 * @throws a CommandError that has the table, if SQLite took longer than the limit of a shape.
 */
export async function measureHostile({ url, feedToken }: Runtime, customers: number): Promise<string> {
  const token = await customerToken(CALLER);
  await send(url, feedCall(feedToken, BASE));
  const measured: { shape: Shape; least: Reply }[] = [];
  for (const shape of shapesOf(Math.min(20_000, Math.ceil(customers / 10)))) {
    for (const lines of shape.lists)
      for (const request of inRequests(lines, shape.linesARequest)) await send(url, feedCall(feedToken, request));
    let least = await send(url, { ...shape.call(0), token });
    for (let attempt = 1; attempt < TRIES; attempt += 1) {
      const reply = await send(url, { ...shape.call(attempt), token });
      if (reply.sqlMilliseconds < least.sqlMilliseconds) least = reply;
    }
    measured.push({ shape, least });
  }
  const rows = measured.map(({ shape, least }) => [shape.name, least.rowsRead, least.sqlMilliseconds, shape.limitMs]);
  const text = table(["data", "rows read", "ms in SQLite", "limit"], rows);
  const isSlow = measured.some(({ shape, least }) => least.sqlMilliseconds > shape.limitMs);
  if (isSlow) throw new CommandError(`${text}\n\nSome data take longer than their limit.`);
  return text;
}

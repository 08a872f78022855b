import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { type FeedLine, mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import * as seed from "../support/seed.ts";
import { feedUsage } from "../support/state.ts";

// A request may be about 20,000 members (docs/contract/feed.md, 1), so every row that each of them costs matters. All
// members listen. A change is a row of the outbox, for a group or a customer.

const GROUPS = 40;
const MEMBERS = 100;

const customers = Array.from({ length: GROUPS * MEMBERS }, () => seed.customer());
const ids = customers.map(({ id }) => id);
const membersOf = (group: number) => ids.slice(group * MEMBERS, (group + 1) * MEMBERS);
const groups = Array.from({ length: GROUPS }, (_, index) => seed.group(membersOf(index)));
const firstHalf = groups.slice(0, GROUPS / 2);
const messagesOf = (some: typeof groups) =>
  some.map(({ id, initial_customer_id }) => seed.message(id, initial_customer_id));
const messages = Array.from({ length: 10 }, () => messagesOf(groups)).flat();
/** The groups of the first half, in which all members but the initial customers are replaced. */
const groupsWithNewMembers = firstHalf.map((group, index) => ({
  ...group,
  member_ids: [group.initial_customer_id, ...membersOf(index + GROUPS / 2).slice(1)],
}));

beforeAll(async () => {
  await freshDatabase("2026-06-01 00:00:00");
  await mustFeed(customers);
  await env.DB.prepare("INSERT INTO listeners (customer_id, until) SELECT id, '2030-01-01' FROM customers").run();
}, 60_000);

describe("a request about 4,000 members", () => {
  // The order matters: each request needs the records of the requests before.
  it.for<[what: string, second: number, lines: FeedLine[], rows: number]>([
    ["writes a member's row, an entry in their list and a change for each of new groups", 1, groups, 12_080],
    ["moves each member's entry for a message, and writes a change for each group", 2, messagesOf(groups), 8_121],
    ["moves none for messages of the same second", 2, messages, 480],
    [
      "deletes messages, and writes a change for each group",
      3,
      messages.map(({ id }) => seed.deleted("message", { id })),
      440,
    ],
    [
      "ends and begins memberships, and moves all entries",
      4,
      [...groupsWithNewMembers, ...messagesOf(firstHalf)],
      15_941,
    ],
    ["removes groups", 5, groups.map(({ id }) => seed.deleted("message_group", { id })), 10_100],
    ["writes new groups with their first messages", 6, [...groups, ...messagesOf(groups)], 20_201],
  ])("%s", async ([, second, lines, rows], { expect }) => {
    await setClock(`2026-06-01 00:00:0${second}`);

    const { rowsWritten } = await feedUsage(lines);

    expect(rowsWritten).toBe(rows);
  });
});

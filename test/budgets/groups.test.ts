import { beforeAll, describe, it } from "vitest";
import { type FeedLine, mustFeed } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows } from "../support/state.ts";

// A request may be about 20,000 members (docs/contract/feed.md, 1), so every row that a member costs matters. All
// members listen here, so the request writes a change, which is a row of the outbox, for each group.

const GROUPS = 40;
const MEMBERS = 100;

const customers = Array.from({ length: GROUPS * MEMBERS }, () => seed.customer());
const ids = customers.map(({ id }) => id);
const membersOf = (group: number) => ids.slice(group * MEMBERS, (group + 1) * MEMBERS);
const groups = Array.from({ length: GROUPS }, (_, index) => seed.group(membersOf(index)));
const firstHalf = groups.slice(0, GROUPS / 2);
const messagesTo = (recipients: typeof groups) =>
  recipients.map(({ id, initial_customer_id }) => seed.message(id, initial_customer_id));
const messages = Array.from({ length: 10 }, () => messagesTo(groups)).flat();
/** The groups of the first half, in which all members but the initial customers are replaced. */
const groupsWithNewMembers = firstHalf.map((group, index) => ({
  ...group,
  member_ids: [group.initial_customer_id, ...membersOf(index + GROUPS / 2).slice(1)],
}));

beforeAll(async () => {
  await setClock("2026-06-01 00:00:00");
  await mustFeed(customers);
  await rows("INSERT INTO listeners (customer_id, until) SELECT id, '2030-01-01' FROM customers");
}, 60_000);

describe("a request about 4,000 members", () => {
  const deletes = (record: string, records: { id: string }[]) => records.map(({ id }) => seed.deleted(record, { id }));

  // The order matters: each request needs the records of the requests before.
  it.for<[second: number, what: string, rows: number, lines: FeedLine[]]>([
    [1, "new groups", 12_080, groups],
    [2, "the first message of a second to each group", 8_121, messagesTo(groups)],
    [2, "more messages of the same second, which move no group up in a list", 480, messages],
    [3, "deletes of messages", 440, deletes("message", messages)],
    [4, "groups with new members and new messages", 15_941, [...groupsWithNewMembers, ...messagesTo(firstHalf)]],
    [5, "removed groups", 10_100, deletes("message_group", groups)],
    [6, "new groups with their first messages", 20_201, [...groups, ...messagesTo(groups)]],
  ])("at second %i writes for %s: %i rows", async ([second, , expectedRows, lines], { expect }) => {
    await setClock(`2026-06-01 00:00:0${second}`);

    const { rowsWritten } = await feedUsage(lines);

    expect(rowsWritten).toBe(expectedRows);
  });
});

import { describe, it } from "vitest";
import { type FeedLine, feed, mustFeed, ndjson } from "../support/api.ts";
import { exported } from "../support/exporting.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";

const MIB = 1024 * 1024;
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** Stores 100 customers, and groups of all of them. */
async function storeGroups(count: number) {
  const customers = Array.from({ length: 100 }, () => seed.customer());
  const ids = customers.map(({ id }) => id);
  const groups = Array.from({ length: count }, () => seed.group(ids));
  await mustFeed([...customers, ...groups]);
  return { groups, ids, sender: ids[0] };
}

type Group = ReturnType<typeof seed.group>;

const tooMany = (count: string) => ({
  status: false,
  errorCode: "PAYLOAD_TOO_LARGE",
  message: `This request holds ${count} ids in lists and members of the groups that it touches: at most 20,000 are taken.`,
});

// A line about each group, and a second line about one of them, touch 20,100 members: 100 too many.
const ABOUT_GROUPS: [what: string, groups: number, toLine: (group: Group, sender: unknown) => FeedLine][] = [
  ["messages", 201, ({ id }, sender) => seed.message(id, sender)],
  ["message states", 201, ({ id }, sender) => seed.messageState(id, sender)],
  ["deletes of groups", 201, ({ id }) => seed.deleted("message_group", { id })],
  // Each group counts twice: the members in the line, and the stored members that it replaces.
  ["lists of members", 100, (group) => group],
];

describe("a feed request", () => {
  it("may have 2,000 lines and 2 MiB", async ({ expect }) => {
    const customers = Array.from({ length: 2_000 }, () => seed.customer({ customer_description: "é".repeat(460) }));
    const bytes = new TextEncoder().encode(ndjson(customers));
    const padding = new Uint8Array(2 * MIB - bytes.length).fill(0x20);

    const answer = await feed(new Blob([bytes, padding]));

    expect(answer.body).toEqual({ status: true, items: { accepted: 2_000, ignored: 0 } });
  });

  it("may list 20,000 ids, and no more", async ({ expect }) => {
    const names = (length: number) => Array.from({ length }, (_, index) => `nowhere-${index}`);
    const campaigns = [12_000, 8_000].map((length) => seed.campaign("999999", { store_ids: names(length) }));

    const largestAnswer = await feed(campaigns);
    const tooLargeAnswer = await feed([...campaigns, seed.group(["one", "two"])]);

    // The first request is refused because the stores do not exist, not for its size.
    expect(Object.keys(largestAnswer.body.messages)).toContain("line 2.store_ids");
    expect(tooLargeAnswer.body).toEqual(tooMany("20,002"));
  });

  it.for(ABOUT_GROUPS)("may be about groups of 20,000 members: %s", async ([, count, toLine], { expect }) => {
    const { groups, sender } = await storeGroups(count);
    const lines = groups.map((group) => toLine(group, sender));

    const tooLargeAnswer = await feed([...lines, lines[0] ?? ""]);
    const largestAnswer = await feed([...lines.slice(1), lines[1] ?? ""]);

    expect(tooLargeAnswer.body).toEqual(tooMany("20,100"));
    expect(largestAnswer.status).toBe(200);
  });

  it("that deletes messages counts the members of their groups, each group once", async ({ expect }) => {
    const { groups, sender } = await storeGroups(201);
    const messages = groups.map((group) => seed.message(group.id, sender));
    await mustFeed(messages.slice(0, 100));
    await mustFeed(messages.slice(100));
    const deletes = messages.map(({ id }) => seed.deleted("message", { id }));

    const tooLargeAnswer = await feed(deletes);
    const bodiesAfter = await rows("SELECT DISTINCT body FROM messages");
    const largestAnswer = await feed([...deletes.slice(1), seed.message(groups[1]?.id, sender)]);

    expect(tooLargeAnswer.body).toEqual(tooMany("20,100"));
    expect(bodiesAfter).toEqual([{ body: "Hello" }]);
    expect(largestAnswer.body).toEqual({ status: true, items: { accepted: 201, ignored: 0 } });
  });
});

describe("a line", () => {
  it("may have 1 MiB as an export gives it, with all its defaults, and no more", async ({ expect }) => {
    const account = (length: number) => seed.account({ loyalty_options: { chain_logo: "🎉".repeat(length) } });
    const small = account(1);
    await mustFeed([small]);
    const exportOf = async (id: string) => (await exported("account")).find((line) => line.id === id);
    const room = MIB - bytesOf(await exportOf(small.id)) + 4;
    const longest = { ...account(Math.floor(room / 4)), company: `${small.company}${"x".repeat(room % 4)}` };

    const largestAnswer = await feed([longest]);
    const tooLargeAnswer = await feed([{ ...longest, company: `${longest.company}x` }]);

    expect(largestAnswer.status).toBe(200);
    expect(tooLargeAnswer.body.messages).toEqual({
      "line 1": ["has 1,048,577 bytes with all its defaults: at most 1,048,576 are taken"],
    });
    expect(bytesOf(await exportOf(longest.id))).toBe(MIB);
  });

  it("may list 10,001 stores, and lists others as quickly", async ({ expect }) => {
    const account = seed.account();
    const stores = Array.from({ length: 10_002 }, () => seed.store(account.id));
    const ids = stores.map(({ id }) => id);
    await mustFeed([account, ...stores]);
    const campaign = seed.campaign(account.id);
    /** Feeds a list of stores. Resolves with the stored count, whether store 0 is among them, and the milliseconds. */
    const list = async (store_ids: string[]) => {
      const startedAt = Date.now();
      await mustFeed([{ ...campaign, store_ids }]);
      const milliseconds = Date.now() - startedAt;
      const listed = await rows(
        `SELECT count(*) AS count, sum(stores.id = ?) AS first FROM campaign_stores JOIN stores ON stores.key = store_key
         WHERE listed = 1 AND campaign_key = (SELECT key FROM campaigns WHERE id = ?)`,
        ids[0],
        campaign.id,
      );
      return { listed, milliseconds };
    };

    const [longList, shortList] = [await list(ids.slice(1)), await list(ids.slice(0, 7))];

    expect([longList.listed, shortList.listed]).toEqual([[{ count: 10_001, first: 0 }], [{ count: 7, first: 1 }]]);
    // A search through the list for each store would take a hundred times as long. A busy machine may pause for seconds.
    expect(shortList.milliseconds).toBeLessThan(5 * longList.milliseconds + 4_000);
  });
});

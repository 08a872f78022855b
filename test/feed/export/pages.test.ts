import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { BODY_LIMIT, ITEM_LIMIT, LINE_LIMIT } from "../../../src/http/limits.ts";
import { KINDS } from "../../../src/records/index.ts";
import { type Answer, mustFeed } from "../../support/api.ts";
import { sendTo } from "../../support/bindings.ts";
import { databaseThrough } from "../../support/databases.ts";
import { EXPORT, exported, exportPage, exportPages } from "../../support/exporting.ts";
import { program } from "../../support/programs.ts";
import * as seed from "../../support/seed.ts";
import { rows } from "../../support/state.ts";
import { exportToken } from "../../support/tokens.ts";

// test/programs compares whole exports, and test/retention restores them.

type Line = Record<string, unknown>;
const linesOf = (pages: readonly Answer[]): Line[] => pages.flatMap(({ body }) => body);
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe("an export", () => {
  it("gives all kinds in their order, and the clock at the end; an empty list of kinds means all kinds", async ({
    expect,
  }) => {
    await mustFeed(program("export").lines);

    const pages = await exportPages();
    const [first] = await exportPages(`${EXPORT}?record=,`);

    const kinds = [...new Set(linesOf(pages).map(({ record }) => record))];
    expect(kinds).toEqual([...KINDS.map(({ record }) => record), "program"]);
    expect(first?.body).toEqual(pages[0]?.body);
  });

  it("gives each referrer before the members whom they referred, even if the members were stored first", async ({
    expect,
  }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    const customers = Array.from({ length: 12 }, () => seed.customer());
    // Each member refers the next. Five of the eleven referrers are stored after the member whom they referred.
    const order = [7, 3, 9, 1, 11, 0, 5, 2, 10, 4, 8, 6].map((index) => customers[index]?.id);
    const members = order.map((id, index) => seed.membership(store.id, id, { referrer_id: order[index - 1] ?? null }));
    await mustFeed([account, store, ...customers, ...members]);

    const exportedMembers = (await exported("membership")).filter(({ store_id }) => store_id === store.id);

    expect(exportedMembers.map(({ customer_id }) => customer_id)).toEqual(order);
  });
});

describe("a page of an export", () => {
  it("is one of at most four that are read at a time", async ({ expect }) => {
    let [reads, mostReads] = [0, 0];
    const DB = databaseThrough(async ({ send: read }) => {
      reads += 1;
      mostReads = Math.max(mostReads, reads);
      await new Promise((resolve) => setTimeout(resolve, 20));
      reads -= 1;
      return read();
    });
    const headers = { Authorization: `Bearer ${await exportToken()}` };

    const pages = await Promise.all(Array.from({ length: 10 }, () => sendTo({ DB }, EXPORT, { headers })));

    expect(pages.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(mostReads).toBe(4);
  });

  it("has at most 2,000 lines, and the next goes on after it", async ({ expect }) => {
    const friends = Array.from({ length: 64 }, (_, index) => seed.customer({ id: `friend-${index}` }));
    const pairs = friends.flatMap((friend, index) =>
      friends.slice(0, index).map(({ id }) => seed.friendship(friend.id, id)),
    );
    await mustFeed([...friends, ...pairs]);

    const pages = await exportPages(`${EXPORT}?record=friendship`);

    expect(pages[0]?.body).toHaveLength(LINE_LIMIT);
    const keys = linesOf(pages).map(({ customer_id, friend_id }) => `${customer_id} ${friend_id}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.filter((key) => key.includes("friend-"))).toHaveLength(pairs.length);
  });

  it("is cut so that one feed request takes it, by its bytes and the items of its lists", async ({ expect }) => {
    const logo = "x".repeat(250_000);
    const accounts = Array.from({ length: 20 }, () => seed.account({ loyalty_options: { chain_logo: logo } }));
    const stores = Array.from({ length: 4_000 }, () => seed.store(accounts[0]?.id));
    const store_ids = stores.map(({ id }) => id);
    const campaigns = Array.from({ length: 12 }, () => seed.campaign(accounts[0]?.id, { store_ids }));
    await mustFeed([...accounts, ...stores, ...campaigns]);

    const pages = await exportPages(`${EXPORT}?record=account,campaign`);

    for (const { body } of pages) {
      const text = body.map((line: Line) => `${JSON.stringify(line)}\n`).join("");
      const items = body.flatMap(({ store_ids }: Line) => (Array.isArray(store_ids) ? store_ids : [])).length;
      expect(bytesOf(text)).toBeLessThanOrEqual(BODY_LIMIT.bytes);
      expect(items).toBeLessThanOrEqual(ITEM_LIMIT);
    }
    const exportedIds = linesOf(pages).map(({ id }) => id);
    expect(new Set(exportedIds).size).toBe(exportedIds.length);
    expect([...accounts, ...campaigns].filter(({ id }) => !exportedIds.includes(id))).toEqual([]);
  });

  it("is about 2 MiB from D1, although 2,000 messages may have more", async ({ expect }) => {
    const [ada, bob] = [seed.customer(), seed.customer()];
    const group = seed.group([ada.id, bob.id]);
    const messages = Array.from({ length: 900 }, () => seed.message(group.id, ada.id, { body: "x".repeat(4_000) }));
    await mustFeed([ada, bob, group, ...messages]);
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    const exportedMessages = await exported("message");

    const bytesSent = await Promise.all(
      batch.mock.results.map(async ({ value }) => bytesOf(JSON.stringify(await value))),
    );
    vi.restoreAllMocks();
    expect(Math.max(...bytesSent)).toBeLessThan(2.2 * 1024 * 1024);
    expect(Math.max(...bytesSent)).toBeGreaterThan(1.5 * 1024 * 1024);
    expect(exportedMessages.filter(({ group_id }) => group_id === group.id)).toHaveLength(messages.length);
  });
});

describe("an export is refused", () => {
  const encode = (cursor: object) => encodeURIComponent(JSON.stringify({ steps: 0, filter: {}, ...cursor }));
  const [NO_LINK_CURSOR, OTHER_EXPORT] = [
    "must be as a Link header gave it",
    "must be of an export of the same kinds, customer and requests",
  ];

  it.for([
    ["x", NO_LINK_CURSOR],
    ["%ff", NO_LINK_CURSOR],
    ["====", NO_LINK_CURSOR],
    ["7", NO_LINK_CURSOR],
    [encode({}), NO_LINK_CURSOR],
    [encode({ scan: "nothing 1" }), NO_LINK_CURSOR],
    [encode({ scan: "store 1", lastRow: [] }), NO_LINK_CURSOR],
    [encode({ scan: "store 1", lastRow: ["s1"] }), NO_LINK_CURSOR],
    [encode({ scan: "store 1", lastRow: [1, 2] }), NO_LINK_CURSOR],
    [encode({ scan: "store 1", lastRow: [1.5] }), NO_LINK_CURSOR],
    [encode({ scan: "play 1", lastRow: [1] }), NO_LINK_CURSOR],
    [encode({ scan: "play 1", lastRow: [""] }), NO_LINK_CURSOR],
    [encode({ scan: "play 1", lastRow: ["x".repeat(65)] }), NO_LINK_CURSOR],
    [`${encode({ scan: "store 1" })}&record=customer`, OTHER_EXPORT],
  ] as const)("for a cursor that is not of one of its links: %s", async ([after, text], { expect }) => {
    const { status, body } = await exportPage(`${EXPORT}?after=${after}`);

    expect([status, body.messages]).toEqual([422, { after: [text] }]);
    expect(await rows("SELECT * FROM refusals")).toEqual([]);
  });
});

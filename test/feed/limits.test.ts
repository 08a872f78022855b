import { describe, it } from "vitest";
import { feed, mustFeed, ndjson } from "../support/api.ts";
import { exported } from "../support/exporting.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";

const MIB = 1024 * 1024;
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

describe("a feed request", () => {
  it("may have 2,000 lines and 2 MiB", async ({ expect }) => {
    const customers = Array.from({ length: 2_000 }, () => seed.customer({ customer_description: "é".repeat(460) }));
    const bytes = new TextEncoder().encode(ndjson(customers));
    const padding = new Uint8Array(2 * MIB - bytes.length).fill(0x20);

    const answer = await feed(new Blob([bytes, padding]));

    expect(answer.body).toEqual({ status: true, items: { accepted: 2_000, ignored: 0 } });
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
         WHERE campaign_key = (SELECT key FROM campaigns WHERE id = ?)`,
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

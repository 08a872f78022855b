import { beforeAll, describe, it } from "vitest";
import { type FeedLine, feed, mustFeed } from "../support/api.ts";
import { createPublicViews } from "../support/public-views.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Sends lines in requests that the feed takes. */
async function feedAll(lines: readonly FeedLine[]): Promise<void> {
  for (let from = 0; from < lines.length; from += 5_000) await mustFeed(lines.slice(from, from + 5_000));
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = Date.now();
  await work();
  return Date.now() - startedAt;
}

// Where each item of a list is looked for in the whole list, it takes a hundred times as long. The seconds are for a
// machine that stands still meanwhile.
const longestFor = (writing: number) => 5 * writing + 4_000;

beforeAll(createPublicViews);

describe("POST /feed: how much a request may hold", () => {
  it("takes lists of 100,000 ids in all, and answers 413 beyond, naming the limit", async ({ expect }) => {
    const campaigns = Array.from({ length: 5 }, () => seed.campaign("999999", { store_ids: names(20_000, "nowhere") }));

    const most = await feed(campaigns);
    const more = await feed([...campaigns, seed.group(["one", "two"])]);

    // It gets as far as the references, none of which is stored.
    expect(most.status).toBe(422);
    expect(Object.keys(most.body.messages)).toContain("line 5.store_ids");
    expect(more.status).toBe(413);
    expect(more.body).toEqual({
      status: false,
      errorCode: "PAYLOAD_TOO_LARGE",
      message: "A request of at most 100000 items of store_ids and member_ids is taken here.",
    });
  });

  it("answers 413 to lines that would fill the Worker's memory on their way, and takes half of them", async ({
    expect,
  }) => {
    const account = seed.account();
    await mustFeed([account]);
    // Folded, each of these letters is three.
    const coupons = Array.from({ length: 1_600 }, () => seed.coupon(account.id, { text_lines: ["각".repeat(1_600)] }));

    const whole = await feed(coupons);
    const half = await feed(coupons.slice(0, 800));

    expect(whole.status).toBe(413);
    expect(whole.body).toMatchObject({ status: false, errorCode: "PAYLOAD_TOO_LARGE" });
    expect(half.body).toEqual({ status: true, items: { accepted: 800, ignored: 0 } });
  });
});

describe("POST /feed: long lists", () => {
  it("lists every store of a list that is sent in pieces, and lists another one as quickly", async ({ expect }) => {
    const account = seed.account();
    const stores = Array.from({ length: 12_000 }, () => seed.store(account.id));
    await feedAll([account, ...stores]);
    const ids = stores.map(({ id }) => id);
    const campaign = seed.campaign(account.id, { store_ids: ids.slice(0, 10_001) });
    const other = seed.campaign(account.id, { store_ids: ids.slice(0, 10_000) });
    const writing = await millisecondsOf(() => mustFeed([campaign, other]));
    const listed = (id: unknown) =>
      value("SELECT count(*) FROM public_campaign_stores WHERE campaign_id = ? AND listed = 1", id);
    expect([await listed(campaign.id), await listed(other.id)]).toEqual([10_001, 10_000]);

    const replacing = await millisecondsOf(() =>
      mustFeed([
        { ...campaign, store_ids: ids.slice(11_000) },
        { ...other, store_ids: [] },
      ]),
    );

    expect([await listed(campaign.id), await listed(other.id)]).toEqual([1_000, 0]);
    expect(replacing).toBeLessThan(longestFor(writing));
  });

  it("replaces the members of many groups as quickly as it writes them", async ({ expect }) => {
    const customers = Array.from({ length: 200 }, () => seed.customer());
    const [before, after] = [customers.slice(0, 100), customers.slice(100)];
    const ids = (some: typeof customers) => some.map(({ id }) => id);
    const caller = before[0]?.id;
    const groups = Array.from({ length: 300 }, () => seed.group(ids(before)));
    await mustFeed(customers);
    const writing = await millisecondsOf(() => mustFeed(groups));

    const replacing = await millisecondsOf(() =>
      mustFeed(groups.map((group) => ({ ...group, member_ids: [caller, ...ids(after).slice(1)] }))),
    );

    const members = await rows(
      "SELECT customer_id FROM public_message_group_members WHERE group_id = ? ORDER BY position",
      groups[299]?.id,
    );
    expect(members.map(({ customer_id }) => customer_id)).toEqual([caller, ...ids(after).slice(1)]);
    expect(replacing).toBeLessThan(longestFor(writing));
  });

  it("names the group whose member another line of the request erases", async ({ expect }) => {
    const [one, other] = [seed.customer(), seed.customer()];
    await mustFeed([one, other]);

    const answer = await feed([seed.group([one.id, other.id]), seed.deleted("customer", { id: other.id })]);

    expect(answer.status).toBe(422);
    expect(answer.body.messages).toEqual({ "line 1.member_ids": ["names a record that is not stored"] });
  });

  it("looks at the references of the line that counts only", async ({ expect }) => {
    const account = seed.account();
    const store = seed.store(account.id);
    await mustFeed([account, store]);
    const campaign = seed.campaign(account.id, { store_ids: [store.id] });

    const good = await feed([{ ...campaign, store_ids: ["nowhere"] }, campaign]);
    const bad = await feed([campaign, { ...campaign, store_ids: ["nowhere"] }]);

    expect(good.body).toEqual({ status: true, items: { accepted: 2, ignored: 0 } });
    expect(bad.body.messages).toEqual({ "line 2.store_ids": ["names a record that is not stored"] });
  });

  it("looks at the accounts of every line's list, whether it counts or not", async ({ expect }) => {
    const [mine, theirs] = [seed.account(), seed.account()];
    const [store, foreign] = [seed.store(mine.id), seed.store(theirs.id)];
    await mustFeed([mine, theirs, store, foreign]);
    const campaign = seed.campaign(mine.id, { store_ids: [store.id] });
    const reaching = { ...campaign, store_ids: [store.id, foreign.id] };
    const token = [String(mine.id)];

    const first = await feed([reaching, campaign], token);
    const last = await feed([campaign, reaching], token);
    const ended = await feed([reaching, seed.deleted("campaign", { id: campaign.id })], token);

    expect(first.body).toMatchObject({ message: "Line 1 touches an account that the token does not cover." });
    expect(last.body).toMatchObject({ message: "Line 2 touches an account that the token does not cover." });
    expect(ended.body).toMatchObject({ message: "Line 1 touches an account that the token does not cover." });
    expect((await feed([campaign], token)).status).toBe(200);
  });
});

import { beforeAll, describe, it } from "vitest";
import { feed, mustFeed } from "../support/api.ts";
import { exported } from "../support/exporting.ts";
import { createPublicViews } from "../support/public-views.ts";
import * as seed from "../support/seed.ts";
import { rows, snapshot, value } from "../support/state.ts";

const MIB = 1024 * 1024;

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = Date.now();
  await work();
  return Date.now() - startedAt;
}

// Where each item of a list is looked for in the whole list, it takes a hundred times as long. The seconds are for a
// machine that stands still meanwhile.
const longestFor = (writing: number) => 5 * writing + 4_000;

beforeAll(createPublicViews);

/** Groups of 100 members, and the customers in them. */
async function storeGroups(count: number) {
  const customers = Array.from({ length: 100 }, () => seed.customer());
  const ids = customers.map(({ id }) => id);
  const groups = Array.from({ length: count }, () => seed.group(ids));
  await mustFeed([...customers, ...groups]);
  return { groups, ids, from: ids[0] };
}

type Group = ReturnType<typeof seed.group>;

const tooMany = (count: string) => ({
  status: false,
  errorCode: "PAYLOAD_TOO_LARGE",
  message: `This request holds ${count} ids in lists and members of the groups that it touches: at most 20,000 are taken.`,
});

describe("POST /feed: how much a request may hold", () => {
  it("takes lists of 20,000 ids in all, and answers 413 beyond, saying by how much", async ({ expect }) => {
    const campaigns = [12_000, 8_000].map((length) => seed.campaign("999999", { store_ids: names(length, "nowhere") }));

    const most = await feed(campaigns);
    const more = await feed([...campaigns, seed.group(["one", "two"])]);

    // It gets as far as the references, none of which is stored.
    expect(most.status).toBe(422);
    expect(Object.keys(most.body.messages)).toContain("line 2.store_ids");
    expect(more.status).toBe(413);
    expect(more.body).toEqual(tooMany("20,002"));
  });

  it.for([
    ["messages", (group: Group, from: unknown) => seed.message(group.id, from)],
    ["message states", (group: Group, from: unknown) => seed.messageState(group.id, from)],
    ["deletes", (group: Group) => seed.deleted("message_group", { id: group.id })],
  ] as const)("counts the members of the groups of %s, each group once", async ([, toLine], { expect }) => {
    const { groups, from } = await storeGroups(201);
    const lines = groups.map((group) => toLine(group, from));

    const more = await feed([...lines, lines[0] ?? {}]);
    const most = await feed([...lines.slice(1), lines[1] ?? {}]);

    expect(more.status).toBe(413);
    expect(more.body).toEqual(tooMany("20,100"));
    expect(most.status).toBe(200);
  });

  it("counts the members of the groups whose messages are deleted, each group once", async ({ expect }) => {
    const { groups, from } = await storeGroups(201);
    const messages = groups.map((group) => seed.message(group.id, from));
    await mustFeed(messages.slice(0, 100));
    await mustFeed(messages.slice(100));
    const deletes = messages.map(({ id }) => seed.deleted("message", { id }));

    const more = await feed(deletes);
    const most = await feed([...deletes.slice(1), seed.message(groups[1]?.id, from)]);

    expect(more.body).toEqual(tooMany("20,100"));
    expect(most.body).toEqual({ status: true, items: { accepted: 201, ignored: 0 } });
  });

  it("counts the members of a list, and those whom the list replaces", async ({ expect }) => {
    const { groups } = await storeGroups(101);

    const more = await feed(groups);
    const most = await feed(groups.slice(1));

    expect(more.body).toEqual(tooMany("20,200"));
    expect(most.body).toEqual({ status: true, items: { accepted: 100, ignored: 0 } });
  });

  it("writes nothing where the members are too many", async ({ expect }) => {
    const { groups, from } = await storeGroups(201);
    const before = await snapshot();

    await feed(groups.map((group) => seed.message(group.id, from)));

    expect(await snapshot()).toBe(before);
  });

  it("takes a line of 1 MiB as an export gives it, with all its defaults, and no longer one", async ({ expect }) => {
    const account = (length: number) => seed.account({ loyalty_options: { chain_logo: "🎉".repeat(length) } });
    const logo = account(1);
    await mustFeed([logo]);
    const [given] = (await exported("account")).filter(({ id }) => id === logo.id);
    const others = new TextEncoder().encode(JSON.stringify(given)).length - 4;
    const room = MIB - others;
    const longest = { ...account(Math.floor(room / 4)), company: `${logo.company}${"x".repeat(room % 4)}` };

    const most = await feed([longest]);
    const more = await feed([{ ...longest, company: `${longest.company}x` }]);

    expect(most.status).toBe(200);
    expect(more.body.messages).toEqual({
      "line 1": ["has 1,048,577 bytes with all its defaults: at most 1,048,576 are taken"],
    });
    const [line] = (await exported("account")).filter(({ id }) => id === longest.id);
    expect(new TextEncoder().encode(JSON.stringify(line)).length).toBe(MIB);
  });
});

describe("POST /feed: long lists", () => {
  it("lists every store of a list that is sent in pieces, and lists another one as quickly", async ({ expect }) => {
    const account = seed.account();
    const stores = Array.from({ length: 12_000 }, () => seed.store(account.id));
    await mustFeed([account, ...stores]);
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
    const groups = Array.from({ length: 90 }, () => seed.group(ids(before)));
    await mustFeed(customers);
    const writing = await millisecondsOf(() => mustFeed(groups));

    const replacing = await millisecondsOf(() =>
      mustFeed(groups.map((group) => ({ ...group, member_ids: [caller, ...ids(after).slice(1)] }))),
    );

    const members = await rows(
      "SELECT customer_id FROM public_message_group_members WHERE group_id = ? ORDER BY position",
      groups[89]?.id,
    );
    expect(members.map(({ customer_id }) => customer_id)).toEqual([caller, ...ids(after).slice(1)]);
    expect(replacing).toBeLessThan(longestFor(writing));
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

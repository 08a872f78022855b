import { describe, it } from "vitest";
import { as, type FeedLine, feed, mustFeed, trips } from "../../support/api.ts";
import { listenAs, toldBy } from "../../support/live.ts";
import * as seed from "../../support/seed.ts";

const MESSAGES = "/api/v1/customer/messages";

/** Three customers with records of every kind that could concern one of them; nobody listens yet. */
async function seedThree() {
  const account = seed.account();
  const store = seed.store(account.id);
  const coupon = seed.coupon(account.id);
  const [ada, bo, cy] = [seed.customer(), seed.customer(), seed.customer()];
  const [pair, three] = [seed.group([ada.id, bo.id]), seed.group([ada.id, bo.id, cy.id])];
  const issued = seed.customerCoupon(ada.id, coupon.id, store.id, { usage_count: 0, total_count: 3 });
  const entry = seed.entry(ada.id, store.id, "5.00");
  const message = seed.message(pair.id, ada.id, { sent_at: "2026-01-01 00:00:00" });
  await mustFeed([account, store, coupon, ada, bo, cy, pair, three, issued, entry, message]);
  return { account, store, coupon, ada, bo, cy, pair, three, issued, entry, message };
}

type Stored = Awaited<ReturnType<typeof seedThree>>;

interface Change {
  change: string;
  lines: (stored: Stored) => FeedLine[];
  /** What Ada, Bo and Cy are told, each by the one frame that comes; none where it is left out. */
  told: { ada?: string[]; bo?: string[]; cy?: string[] };
}

const both = (what: string[]) => ({ ada: what, bo: what });

/** docs/contract/live.md, 3. */
const CHANGES: readonly Change[] = [
  {
    change: "a message concerns the members, who sent it too",
    lines: ({ pair, ada }) => [seed.message(pair.id, ada.id)],
    told: both(["messages"]),
  },
  {
    change: "messages of two groups are one frame",
    lines: ({ pair, three, bo }) => [seed.message(pair.id, bo.id), seed.message(three.id, bo.id)],
    told: { ...both(["messages"]), cy: ["messages"] },
  },
  {
    change: "a message that came before tells nobody",
    lines: ({ message }) => [message],
    told: {},
  },
  {
    change: "a member who is added sees a group that was not there",
    lines: ({ pair, ada, bo, cy }) => [{ ...pair, member_ids: [ada.id, bo.id, cy.id] }],
    told: { cy: ["messages"] },
  },
  {
    change: "a member who is removed sees it no longer",
    lines: ({ three, ada, bo }) => [{ ...three, member_ids: [ada.id, bo.id] }],
    told: { cy: ["messages"] },
  },
  {
    change: "a new group concerns its members",
    lines: ({ ada, bo }) => [seed.group([ada.id, bo.id])],
    told: both(["messages"]),
  },
  {
    change: "a group that is removed concerns its members",
    lines: ({ pair }) => [seed.deleted("message_group", { id: pair.id })],
    told: both(["messages"]),
  },
  {
    change: "a group with the same members in another order tells nobody",
    lines: ({ three, ada, bo, cy }) => [{ ...three, member_ids: [ada.id, cy.id, bo.id] }],
    told: {},
  },
  {
    change: "a group as it was tells nobody",
    lines: ({ pair, three }) => [pair, three],
    told: {},
  },
  {
    change: "that somebody has read a group tells nobody",
    lines: ({ pair, ada }) => [seed.messageState(pair.id, ada.id, { read_at: "2026-02-01 00:00:00" })],
    told: {},
  },
  {
    change: "a coupon that is issued concerns its customer",
    lines: ({ bo, coupon, store }) => [seed.customerCoupon(bo.id, coupon.id, store.id)],
    told: { bo: ["coupons"] },
  },
  {
    change: "a coupon that is used concerns its customer",
    lines: ({ issued }) => [{ ...issued, usage_count: 1 }],
    told: { ada: ["coupons"] },
  },
  {
    change: "a coupon that is withdrawn concerns its customer",
    lines: ({ issued }) => [seed.deleted("customer_coupon", { id: issued.id })],
    told: { ada: ["coupons"] },
  },
  {
    change: "an issued coupon as it was tells nobody",
    lines: ({ issued }) => [issued],
    told: {},
  },
  {
    change: "a coupon itself tells nobody, for it may have a million holders",
    lines: ({ coupon }) => [{ ...coupon, name: "Free tea" }],
    told: {},
  },
  {
    change: "a coupon that is deleted tells nobody",
    lines: ({ coupon }) => [seed.deleted("coupon", { id: coupon.id })],
    told: {},
  },
  {
    change: "a balance entry concerns its customer",
    lines: ({ bo, store }) => [seed.entry(bo.id, store.id, "5.00")],
    told: { bo: ["balance"] },
  },
  {
    change: "entries that sum to nothing concern their customer too",
    lines: ({ bo, store }) => [seed.entry(bo.id, store.id, "5.00"), seed.entry(bo.id, store.id, "-5.00")],
    told: { bo: ["balance"] },
  },
  {
    change: "a repeated entry tells nobody",
    lines: ({ entry }) => [entry],
    told: {},
  },
  {
    change: "a repeated entry beside a new one tells the customer of the new one",
    lines: ({ entry, cy, store }) => [entry, seed.entry(cy.id, store.id, "1.00")],
    told: { cy: ["balance"] },
  },
  {
    change: "coupons and balance of one request are one frame, in that order",
    lines: ({ ada, coupon, store }) => [
      seed.entry(ada.id, store.id, "1.00"),
      seed.customerCoupon(ada.id, coupon.id, store.id),
    ],
    told: { ada: ["coupons", "balance"] },
  },
  {
    change: "a customer who is erased loses groups and coupons; the others' groups stay as they were",
    lines: ({ ada }) => [seed.deleted("customer", { id: ada.id })],
    told: { ada: ["messages", "coupons"] },
  },
  {
    change: "names, stores, memberships and friendships tell nobody",
    lines: ({ ada, bo, store }) => [
      { ...ada, first_name: "Augusta" },
      { ...store, name: "Side Street" },
      seed.membership(store.id, ada.id),
      seed.friendship(ada.id, bo.id),
      seed.block(bo.id, ada.id),
    ],
    told: {},
  },
];

describe("who is told of what", () => {
  it.for(CHANGES)("$change", async ({ lines, told }, { expect }) => {
    const stored = await seedThree();
    const { ada, bo, cy } = stored;
    const [hers, his, theirs] = [await listenAs(ada.id), await listenAs(bo.id), await listenAs(cy.id)];

    await mustFeed(lines(stored));

    // Messages wait until they are shown, and what else came with them does not.
    const flat = (frames: unknown[]) => frames.flat();
    const seen = {
      ada: flat(await toldBy(hers, ada.id)),
      bo: flat(await toldBy(his, bo.id)),
      cy: flat(await toldBy(theirs, cy.id)),
    };
    const sorted = ({ ada = [], bo = [], cy = [] }: Change["told"]) => [ada, bo, cy].map((whats) => whats.toSorted());
    expect(sorted(seen as Change["told"])).toEqual(sorted(told));
  });

  it("a request that is refused tells nobody", async ({ expect }) => {
    const { ada, pair, store } = await seedThree();
    const socket = await listenAs(ada.id);

    const answer = await feed([
      seed.message(pair.id, ada.id),
      seed.entry(ada.id, store.id, "1.00"),
      seed.entry("nobody", store.id, "1.00"),
    ]);

    expect(answer.status).toBe(422);
    expect(await toldBy(socket, ada.id)).toEqual([]);
  });

  it("a customer may listen before the feed knows them", async ({ expect }) => {
    const { store, ada } = await seedThree();
    const early = seed.customer();
    const socket = await listenAs(early.id);

    await mustFeed([early]);
    await mustFeed([seed.group([ada.id, early.id]), seed.entry(early.id, store.id, "1.00")]);

    expect((await toldBy(socket, early.id)).flat().toSorted()).toEqual(["balance", "messages"]);
  });

  it("answers a quiet poll without D1", async ({ expect }) => {
    const stranger = seed.customer();
    await mustFeed([stranger]);
    const first = await as(stranger.id).get(MESSAGES);
    const second = await as(stranger.id).get(MESSAGES);

    expect([trips(first), trips(second)]).toEqual([1, 0]);
    expect(second.body).toEqual(first.body);
  });

  it("every frame is one that the reference describes, and holds nothing else", async ({ expect }) => {
    const { ada, store } = await seedThree();
    const texts: unknown[] = [];
    const { socket, next } = await listenAs(ada.id);
    socket.addEventListener("message", ({ data }) => void texts.push(data));

    await mustFeed([seed.entry(ada.id, store.id, "1.00")]);
    await next();

    expect(texts).toEqual(['{"type":"changed","what":["balance"]}']);
  });
});

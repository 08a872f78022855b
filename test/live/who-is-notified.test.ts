import { describe, it } from "vitest";
import { type FeedLine, feed, mustFeed } from "../support/api.ts";
import { framesOf, listenAs } from "../support/live.ts";
import * as seed from "../support/seed.ts";

/** Three customers, and records of each kind that could concern one of them. Nobody listens yet. */
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

type Frames = Partial<Record<"ada" | "bo" | "cy", string[]>>;

/** Lines, and what the frames of the three list. docs/contract/live.md, 3, implies these cases. */
const CHANGES: readonly [change: string, lines: (stored: Stored) => FeedLine[], frames: Frames][] = [
  [
    "messages of two groups are one frame of each member, who sent them too",
    ({ pair, three, ada, bo }) => [seed.message(pair.id, ada.id), seed.message(three.id, bo.id)],
    { ada: ["messages"], bo: ["messages"], cy: ["messages"] },
  ],
  [
    "only the member who is removed from a group gets a frame",
    ({ three, ada, bo }) => [{ ...three, member_ids: [ada.id, bo.id] }],
    { cy: ["messages"] },
  ],
  [
    "a new group concerns its members",
    ({ ada, bo }) => [seed.group([ada.id, bo.id])],
    { ada: ["messages"], bo: ["messages"] },
  ],
  [
    "a repeated entry beside a new one concerns the customer of the new one",
    ({ entry, cy, store }) => [entry, seed.entry(cy.id, store.id, "1.00")],
    { cy: ["balance"] },
  ],
  [
    "coupons and balance of one request are one frame",
    ({ ada, coupon, store }) => [
      seed.entry(ada.id, store.id, "1.00"),
      seed.customerCoupon(ada.id, coupon.id, store.id),
    ],
    { ada: ["balance", "coupons"] },
  ],
  [
    "a customer who is erased loses groups and coupons, and the others' groups stay as they were",
    ({ ada }) => [seed.deleted("customer", { id: ada.id })],
    { ada: ["coupons", "messages"] },
  ],
  [
    "what is repeated, unknown, read, renamed or joined notifies nobody",
    ({ ada, bo, cy, pair, three, issued, coupon, message, store }) => [
      ...[message, pair, issued],
      { ...three, member_ids: [ada.id, cy.id, bo.id] },
      seed.deleted("message", { id: "unknown" }),
      seed.messageState(pair.id, ada.id, { read_at: "2026-02-01 00:00:00" }),
      { ...ada, first_name: "Augusta" },
      { ...store, name: "Side Street" },
      seed.membership(store.id, ada.id),
      seed.friendship(ada.id, bo.id),
      seed.block(bo.id, ada.id),
      seed.deleted("coupon", { id: coupon.id }),
    ],
    {},
  ],
];

// Side by side, because most wait until a message is shown.
describe.concurrent("who gets a frame of what", () => {
  it.for(CHANGES)("%s", async ([, lines, frames], { expect }) => {
    const stored = await seedThree();
    const listeners = await Promise.all(
      (["ada", "bo", "cy"] as const).map(async (name) => ({ name, socket: await listenAs(stored[name].id) })),
    );

    await mustFeed(lines(stored));

    // A message waits until it is shown. What else came with it does not.
    for (const { name, socket } of listeners) {
      const seen = (await framesOf(socket, stored[name].id)).flat().toSorted();
      expect([name, seen]).toEqual([name, frames[name] ?? []]);
    }
  });

  it("a request that is refused notifies nobody", async ({ expect }) => {
    const { ada, pair, store } = await seedThree();
    const socket = await listenAs(ada.id);

    const answer = await feed([
      seed.message(pair.id, ada.id),
      seed.entry(ada.id, store.id, "1.00"),
      seed.entry("nobody", store.id, "1.00"),
    ]);

    expect(answer.status).toBe(422);
    expect(await framesOf(socket, ada.id)).toEqual([]);
  });

  it("a customer may listen before the feed knows them", async ({ expect }) => {
    const { store, ada } = await seedThree();
    const early = seed.customer();
    const socket = await listenAs(early.id);

    await mustFeed([early]);
    await mustFeed([seed.group([ada.id, early.id]), seed.entry(early.id, store.id, "1.00")]);

    expect((await framesOf(socket, early.id)).flat().toSorted()).toEqual(["balance", "messages"]);
  });
});

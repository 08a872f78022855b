import { describe, it } from "vitest";
import { type FeedLine, feed, mustFeed } from "../support/api.ts";
import { framesOf, listenAs } from "../support/live.ts";
import * as seed from "../support/seed.ts";

const NAMES = ["ada", "bo", "cy"] as const;

/** Three customers, and records of each kind that could concern one of them. */
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
  return { store, coupon, ada, bo, cy, pair, three, issued, entry, message };
}

type Stored = Awaited<ReturnType<typeof seedThree>>;
type Frames = Partial<Record<(typeof NAMES)[number], string[]>>;

/** A change, its feed lines, and what the frames of each customer list. `npm run conform` checks the simple cases. */
const CHANGES: readonly [change: string, lines: (stored: Stored) => FeedLine[], frames: Frames][] = [
  [
    "a member who is removed from a group, and no other member",
    ({ three, ada, bo }) => [{ ...three, member_ids: [ada.id, bo.id] }],
    { cy: ["messages"] },
  ],
  [
    "the members of a new group",
    ({ ada, bo }) => [seed.group([ada.id, bo.id])],
    { ada: ["messages"], bo: ["messages"] },
  ],
  [
    "the customer of a new entry, and not of a repeated entry beside it",
    ({ entry, cy, store }) => [entry, seed.entry(cy.id, store.id, "1.00")],
    { cy: ["balance"] },
  ],
  [
    "an erased customer, and no other member of their groups",
    ({ ada }) => [seed.deleted("customer", { id: ada.id })],
    { ada: ["coupons", "messages"] },
  ],
  [
    "nobody, if lines change nothing that an app shows",
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

// Concurrent, because messages are shown only after their second.
describe.concurrent("a feed request notifies", () => {
  it.for(CHANGES)("%s", async ([, lines, frames], { expect }) => {
    const stored = await seedThree();
    const sockets = await Promise.all(NAMES.map((name) => listenAs(stored[name].id)));

    await mustFeed(lines(stored));

    const framedChanges = sockets.map(async (socket, index) => {
      const name = NAMES[index] ?? "ada";
      return (await framesOf(socket, stored[name].id)).flat().toSorted();
    });
    expect(await Promise.all(framedChanges)).toEqual(NAMES.map((name) => frames[name] ?? []));
  });

  it("nobody if it is refused", async ({ expect }) => {
    const { ada, pair, store } = await seedThree();
    const socket = await listenAs(ada.id);

    const answer = await feed([seed.message(pair.id, ada.id), seed.entry("nobody", store.id, "1.00")]);

    expect(answer.status).toBe(422);
    expect(await framesOf(socket, ada.id)).toEqual([]);
  });

  it("a customer who listened before the feed had their record", async ({ expect }) => {
    const { store, ada } = await seedThree();
    const earlyListener = seed.customer();
    const socket = await listenAs(earlyListener.id);

    await mustFeed([earlyListener]);
    await mustFeed([seed.group([ada.id, earlyListener.id]), seed.entry(earlyListener.id, store.id, "1.00")]);

    expect((await framesOf(socket, earlyListener.id)).flat().toSorted()).toEqual(["balance", "messages"]);
  });
});

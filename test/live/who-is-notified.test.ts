import { describe, it } from "vitest";
import { type FeedLine, feed, mustFeed } from "../support/api.ts";
import { framesOf, listenAs } from "../support/live.ts";
import * as seed from "../support/seed.ts";

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
  /** What the frames of Ada, Bo and Cy list; none comes where it is left out. */
  frames: { ada?: string[]; bo?: string[]; cy?: string[] };
}

const both = (kinds: string[]) => ({ ada: kinds, bo: kinds });

/** What docs/contract/live.md, 3, leaves to its reader; its own words are the section's. */
const CHANGES: readonly Change[] = [
  {
    change: "a message concerns the members, who sent it too",
    lines: ({ pair, ada }) => [seed.message(pair.id, ada.id)],
    frames: both(["messages"]),
  },
  {
    change: "messages of two groups are one frame",
    lines: ({ pair, three, bo }) => [seed.message(pair.id, bo.id), seed.message(three.id, bo.id)],
    frames: { ...both(["messages"]), cy: ["messages"] },
  },
  {
    change: "a message that came before notifies nobody",
    lines: ({ message }) => [message],
    frames: {},
  },
  {
    change: "a deleted message that is not stored notifies nobody",
    lines: () => [seed.deleted("message", { id: "unknown" })],
    frames: {},
  },
  {
    change: "a member who is removed sees it no longer",
    lines: ({ three, ada, bo }) => [{ ...three, member_ids: [ada.id, bo.id] }],
    frames: { cy: ["messages"] },
  },
  {
    change: "a new group concerns its members",
    lines: ({ ada, bo }) => [seed.group([ada.id, bo.id])],
    frames: both(["messages"]),
  },
  {
    change: "a group with the same members in another order notifies nobody",
    lines: ({ three, ada, bo, cy }) => [{ ...three, member_ids: [ada.id, cy.id, bo.id] }],
    frames: {},
  },
  {
    change: "a group as it was notifies nobody",
    lines: ({ pair, three }) => [pair, three],
    frames: {},
  },
  {
    change: "that somebody has read a group notifies nobody",
    lines: ({ pair, ada }) => [seed.messageState(pair.id, ada.id, { read_at: "2026-02-01 00:00:00" })],
    frames: {},
  },
  {
    change: "an issued coupon as it was notifies nobody",
    lines: ({ issued }) => [issued],
    frames: {},
  },
  {
    change: "a coupon that is deleted notifies nobody",
    lines: ({ coupon }) => [seed.deleted("coupon", { id: coupon.id })],
    frames: {},
  },
  {
    change: "a repeated entry beside a new one concerns the customer of the new one",
    lines: ({ entry, cy, store }) => [entry, seed.entry(cy.id, store.id, "1.00")],
    frames: { cy: ["balance"] },
  },
  {
    change: "coupons and balance of one request are one frame, in that order",
    lines: ({ ada, coupon, store }) => [
      seed.entry(ada.id, store.id, "1.00"),
      seed.customerCoupon(ada.id, coupon.id, store.id),
    ],
    frames: { ada: ["coupons", "balance"] },
  },
  {
    change: "a customer who is erased loses groups and coupons; the others' groups stay as they were",
    lines: ({ ada }) => [seed.deleted("customer", { id: ada.id })],
    frames: { ada: ["messages", "coupons"] },
  },
  {
    change: "names, stores, memberships and friendships notify nobody",
    lines: ({ ada, bo, store }) => [
      { ...ada, first_name: "Augusta" },
      { ...store, name: "Side Street" },
      seed.membership(store.id, ada.id),
      seed.friendship(ada.id, bo.id),
      seed.block(bo.id, ada.id),
    ],
    frames: {},
  },
];

// Side by side, because most wait until a message is shown.
describe.concurrent("who gets a frame of what", () => {
  it.for(CHANGES)("$change", async ({ lines, frames }, { expect }) => {
    const stored = await seedThree();
    const { ada, bo, cy } = stored;
    const [hers, his, theirs] = [await listenAs(ada.id), await listenAs(bo.id), await listenAs(cy.id)];

    await mustFeed(lines(stored));

    // Messages wait until they are shown, and what else came with them does not.
    const seen = {
      ada: (await framesOf(hers, ada.id)).flat(),
      bo: (await framesOf(his, bo.id)).flat(),
      cy: (await framesOf(theirs, cy.id)).flat(),
    };
    const sorted = ({ ada = [], bo = [], cy = [] }: Change["frames"]) => [ada, bo, cy].map((kinds) => kinds.toSorted());
    expect(sorted(seen as Change["frames"])).toEqual(sorted(frames));
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

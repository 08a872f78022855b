import { expectSame, expectThat } from "../expect.ts";
import { deletionOf, type Line } from "../lines.ts";
import type { Frame } from "../socket.ts";
import { section } from "../suite.ts";
import type { Caller } from "../tokens.ts";
import { atBookmark } from "./live.ts";

const LISTEN_MS = 1_500;

export const liveChanges = section("live, 3", ({ suite, ann, ben, seed, seedChain, make, it }) => {
  const { shop, plainCoupon } = seedChain(ann, ben);
  const stranger = seed.customer();
  const talk = seed.group([ann, stranger]);

  /** Calls the endpoint of each change in a frame: at the frame's bookmark it answers as at the bookmark of the feed. */
  const expectFresh = async (caller: Caller, { what = [], bookmark }: Frame, bookmarkOfFeed: string) => {
    for (const path of what.map((change) => (change === "balance" ? "me" : change))) {
      const fresh = await suite.get(caller, path, {}, atBookmark(bookmarkOfFeed));
      expectSame((await suite.get(caller, path, {}, atBookmark(bookmark))).text, fresh.text, `${path} after its frame`);
    }
  };
  /** Feeds lines. Resolves with the changes in the frames that each of the two customers gets. */
  const framesAfter = async (...lines: Line[]) => {
    const listeners = [await suite.listen(ann.token), await suite.listen(ben.token)];
    const { headers } = await suite.feed(...lines);
    await suite.http.sleep(LISTEN_MS);
    const [ofAnn = [], ofBen = []] = listeners.map(({ listener }) =>
      listener.events.filter((event) => typeof event === "object").slice(1),
    );
    for (const [caller, frames] of [
      [ann, ofAnn],
      [ben, ofBen],
    ] as const)
      for (const frame of frames) await expectFresh(caller, frame, headers.get("X-D1-Bookmark") ?? "");
    return { ann: ofAnn.map(({ what }) => what), ben: ofBen.map(({ what }) => what) };
  };
  const expectFrames = async (expected: { ann?: string[][]; ben?: string[][] }, ...lines: Line[]) =>
    expectSame(await framesAfter(...lines), { ann: [], ben: [], ...expected });

  it("The customer of a `customer_coupon` that was issued, changed or withdrawn hears of it.", async () => {
    const [issuedCoupon, couponOfBen] = [make.issued(ann, plainCoupon, shop), make.issued(ben, plainCoupon, shop)];
    const changedCoupon = { ...issuedCoupon, total_count: 2 };
    await expectFrames({ ann: [["coupons"]] }, issuedCoupon);
    await expectFrames({ ann: [["coupons"]], ben: [["coupons"]] }, changedCoupon, couponOfBen);
    await expectFrames({ ann: [["coupons"]] }, deletionOf(issuedCoupon));
    await expectFrames({ ben: [["coupons"]] }, deletionOf(make.caller(ben)));
    await suite.feed(make.caller(ben));
  });
  it("A `coupon` notifies nobody: it may have a million holders.", async () => {
    await expectFrames({}, { ...plainCoupon, name: suite.word() });
    await expectFrames({}, deletionOf(plainCoupon));
    await suite.feed(plainCoupon);
  });
  it("The customers of new balance entries hear of them, even if these add up to nothing.", async () => {
    const entries = [make.entry(ben, shop, "1.00"), make.entry(ben, shop, "-1.00")];
    await expectFrames({ ben: [["balance"]] }, ...entries);
    await expectFrames({ ann: [["balance"]] }, ...entries, make.entry(ann, shop, "1.00"));
  });
  it("A line that changes nothing notifies nobody. Nobody hears of what concerns somebody else.", async () => {
    const group = make.group([ann, ben, stranger]);
    const repeatedLines = [
      make.entry(ben, shop, "1.00"),
      make.issued(ann, plainCoupon, shop),
      make.message(group, ann, "old", { sent_at: "2026-01-04 09:00:00" }),
    ];
    await framesAfter(group, ...repeatedLines);
    // No frame announces a change of these kinds, or another order of the members.
    const unannouncedLines = [
      { ...group, member_ids: [ann.id, stranger.id, ben.id] },
      make.messageState(group, ann, { read_at: "2026-02-01 00:00:00" }),
      deletionOf(make.message(group, ann, "unknown")),
      make.caller(ann, "Augusta Conform"),
      { ...shop, name: "Side Street" },
      make.membership(shop, ann),
      make.friendship(ann, ben, 1),
      make.block(ben, ann),
    ];
    const foreignLine = make.entry(stranger, shop, "1.00");
    await expectFrames({}, ...repeatedLines, ...unannouncedLines, foreignLine);
  });
  it("The members of a group hear of its messages, and of a message that lost its body.", async () => {
    const message = make.message(talk, ann, "rude", { sent_at: "2026-01-04 09:00:00" });
    await suite.feed(message);
    await expectFrames({ ann: [["messages"]] }, deletionOf(message));
  });
  it("Who was added to a group or removed from it hears of it, and so do the members of a removed group.", async () => {
    const group = make.group([ann, stranger]);
    await suite.feed(group, make.message(group, ann, "old", { sent_at: "2026-01-05 09:00:00" }));
    const frames = await framesAfter({ ...group, member_ids: [ann.id, stranger.id, ben.id] });
    expectSame(frames.ben, [["messages"]]);
    await expectFrames({ ben: [["messages"]] }, group);
    await expectFrames({ ann: [["messages"]] }, deletionOf(group));
  });
});

export const liveVersion = section("live, 4", ({ suite, make, it }) => {
  const versionOfFeed = async () => Number((await suite.feed(make.account())).headers.get("X-Feed-Version"));

  it("Each feed request that is committed adds one to the feed version. Every 200 of the feed has it in the header `X-Feed-Version`.", async () => {
    const [first, second] = [await versionOfFeed(), await versionOfFeed()];
    // Other clients may feed meanwhile.
    expectThat(0 < first && first < second, `X-Feed-Version was ${first}, then ${second}`);
  });
});

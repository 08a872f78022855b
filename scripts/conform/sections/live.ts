import { expectSame, expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
import { deletionOf, type Line } from "../lines.ts";
import { section } from "../suite.ts";

const QUIET_WITHIN_SECONDS = 5;
const SHOWN_WITHIN_SECONDS = 15;

export const livePolls = section("live, 1", ({ suite, ann, ben, eve, seed, make, it }) => {
  const newest = "2026-01-05 09:00:00";
  for (const caller of [ann, ben, eve]) seed.caller(caller);
  const talk = seed.group([ann, ben]);
  seed.message(talk, ben, "old", { sent_at: newest });
  const poll = () => suite.get(ann, "messages", { check_time: newest });
  /** Whether an answer took no round trip to the database. */
  const isQuiet = ({ headers }: Answer) => /trips;desc="?0"?/.test(headers.get("Server-Timing") ?? "");

  it("`Server-Timing` says 0 round trips.", async () => {
    await suite.until(poll, isQuiet, QUIET_WITHIN_SECONDS);
    await suite.until(() => suite.get(eve, "messages"), isQuiet, QUIET_WITHIN_SECONDS);
  });
  it("From then on the inbox leaves polls to the database until their `check_time` has reached the message.", async () => {
    const [newText, oldText] = [suite.word(), suite.word()];
    const expectPollToShow = async (text: string, fedLines: Line[], nextPoll = poll) => {
      await suite.until(nextPoll, isQuiet, QUIET_WITHIN_SECONDS);
      const isShown = (answer: Answer) => answer.text.includes(text);
      await suite.feed(...fedLines);
      const next = await nextPoll();
      expectThat(isShown(next) || !isQuiet(next), "the poll after a new message is quiet");
      await suite.until(nextPoll, isShown, SHOWN_WITHIN_SECONDS);
    };
    await expectPollToShow(newText, [make.message(talk, ben, newText)]);
    const joinedGroup = make.group([ben, ann]);
    await suite.feed(joinedGroup, make.message(joinedGroup, ben, oldText, { sent_at: "2020-01-01 00:00:00" }));
    const groupWithEve = { ...joinedGroup, member_ids: [ben.id, ann.id, eve.id] };
    await expectPollToShow(oldText, [groupWithEve], () => suite.get(eve, "messages"));
  });
});

const LISTEN_MS = 1_500;
const COUPONS_CHANGED = JSON.stringify({ type: "changed", what: ["coupons"] });
const BALANCE_CHANGED = JSON.stringify({ type: "changed", what: ["balance"] });
const MESSAGES_CHANGED = JSON.stringify({ type: "changed", what: ["messages"] });

export const liveChanges = section("live, 3", ({ suite, ann, ben, seed, make, it }) => {
  const chain = seed.account();
  const [shop, plainCoupon, stranger] = [seed.store(chain), seed.coupon(chain), seed.customer()];
  for (const caller of [ann, ben]) seed.caller(caller);
  const talk = seed.group([ann, stranger]);

  /** Feeds lines. Resolves with the frames that each of the two customers gets. */
  const framesAfter = async (...lines: Line[]) => {
    const [listenerOfAnn, listenerOfBen] = [await suite.listen(ann.token), await suite.listen(ben.token)];
    await suite.feed(...lines);
    await suite.http.sleep(LISTEN_MS);
    // Leave out the first frame, `hello`.
    return { ann: listenerOfAnn.frames.slice(1), ben: listenerOfBen.frames.slice(1) };
  };
  const expectFrames = async (expected: { ann?: string[]; ben?: string[] }, ...lines: Line[]) =>
    expectSame(await framesAfter(...lines), { ann: [], ben: [], ...expected });

  it("the customer of each `customer_coupon` that was issued, changed or withdrawn.", async () => {
    const [issuedCoupon, couponOfBen] = [make.issued(ann, plainCoupon, shop), make.issued(ben, plainCoupon, shop)];
    const changedCoupon = { ...issuedCoupon, total_count: 2 };
    await expectFrames({ ann: [COUPONS_CHANGED] }, issuedCoupon);
    await expectFrames({ ann: [COUPONS_CHANGED], ben: [COUPONS_CHANGED] }, changedCoupon, couponOfBen);
    await expectFrames({ ann: [COUPONS_CHANGED] }, deletionOf(issuedCoupon));
    await expectFrames({ ben: [COUPONS_CHANGED] }, deletionOf(make.caller(ben)));
    await suite.feed(make.caller(ben));
  });
  it("A `coupon` notifies nobody: it may have a million holders", async () => {
    await expectFrames({}, { ...plainCoupon, name: suite.word() });
    await expectFrames({}, deletionOf(plainCoupon));
    await suite.feed(plainCoupon);
  });
  it("the customers of new balance entries, even if these add up to nothing", async () => {
    const entries = [make.entry(ben, shop, "1.00"), make.entry(ben, shop, "-1.00")];
    await expectFrames({ ben: [BALANCE_CHANGED] }, ...entries);
    await expectFrames({ ann: [BALANCE_CHANGED] }, ...entries, make.entry(ann, shop, "1.00"));
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
  it("the members of a group whose shown messages changed or of which a message lost its body", async () => {
    const message = make.message(talk, ann, "rude", { sent_at: "2026-01-04 09:00:00" });
    await suite.feed(message);
    await expectFrames({ ann: [MESSAGES_CHANGED] }, deletionOf(message));
  });
  it("who was added to a group or removed from one; the members of a removed group", async () => {
    const group = make.group([ann, stranger]);
    await suite.feed(group, make.message(group, ann, "old", { sent_at: "2026-01-05 09:00:00" }));
    const frames = await framesAfter({ ...group, member_ids: [ann.id, stranger.id, ben.id] });
    expectSame(frames.ben, [MESSAGES_CHANGED]);
    await expectFrames({ ben: [MESSAGES_CHANGED] }, group);
    await expectFrames({ ann: [MESSAGES_CHANGED] }, deletionOf(group));
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

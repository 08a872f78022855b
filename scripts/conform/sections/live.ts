import { expectSame, expectThat } from "../expect.ts";
import type { Answer } from "../http.ts";
import {
  account,
  block,
  coupon,
  customer,
  deleted,
  entry,
  friendship,
  group,
  issued,
  membership,
  message,
  messageState,
  store,
} from "../lines.ts";
import { type Listener, listen } from "../socket.ts";
import type { Line, Section, Suite } from "../suite.ts";

const QUIET_WITHIN_SECONDS = 5;
const SHOWN_WITHIN_SECONDS = 15;

export async function livePolls(suite: Suite): Promise<Section> {
  const { ann, ben, eve } = await suite.callers();
  const talk = suite.id("talk");
  const newest = "2026-01-05 09:00:00";
  const poll = () => suite.get(ann, "messages", { check_time: newest });
  const isQuiet = ({ headers }: Answer) => /trips;desc="?0"?/.test(headers.get("Server-Timing") ?? "");

  return {
    section: "live, 1",
    lines: [
      ...[ann.id, ben.id, eve.id].map((id) => customer(id)),
      group(talk, [ann.id, ben.id]),
      message(suite.id("message"), talk, ben.id, "old", { sent_at: newest }),
    ],
    rulesWithFeeding: {
      "`Server-Timing` says 0 round trips.": async () => {
        await suite.until(poll, isQuiet, QUIET_WITHIN_SECONDS);
        await suite.until(() => suite.get(eve, "messages"), isQuiet, QUIET_WITHIN_SECONDS);
      },
      "From then on the inbox leaves polls to the database until their `check_time` has reached the message.":
        async () => {
          const [news, joined] = [suite.id("news"), suite.id("joined")];
          const pollNext = async (lines: Line[], text: string, nextPoll = poll) => {
            await suite.until(nextPoll, isQuiet, QUIET_WITHIN_SECONDS);
            const isShown = (answer: Answer) => answer.text.includes(text);
            await suite.feed(...lines);
            const next = await nextPoll();
            expectThat(isShown(next) || !isQuiet(next), "the poll after a new message is quiet");
            await suite.until(nextPoll, isShown, SHOWN_WITHIN_SECONDS);
          };
          await pollNext([message(suite.id("message"), talk, ben.id, news)], news);
          const early = { sent_at: "2020-01-01 00:00:00" };
          const oldMessage = message(suite.id("message"), joined, ben.id, joined, early);
          await suite.feed(group(joined, [ben.id, ann.id]), oldMessage);
          await pollNext([group(joined, [ben.id, ann.id, eve.id])], joined, () => suite.get(eve, "messages"));
        },
    },
  };
}

const LISTEN_MS = 1_500;
const changedFrame = (what: string) => JSON.stringify({ type: "changed", what: [what] });

export async function liveChanges(suite: Suite): Promise<Section> {
  const { ann, ben } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, plain, talk, stranger } = suite.ids("shop plain talk stranger");

  /** Feeds lines. Resolves with the frames that Ann gets, and those that Ben gets. */
  const framesAfter = async (...lines: Line[]) => {
    const listeners: Listener[] = [];
    try {
      for (const { token } of [ann, ben]) listeners.push(await listen(suite, token));
      await suite.feed(...lines);
      await suite.http.sleep(LISTEN_MS);
      // Leave out the first frame, `hello`.
      return listeners.map(({ frames }) => frames.slice(1));
    } finally {
      for (const listener of listeners) listener.close();
    }
  };

  return {
    section: "live, 3",
    lines: [
      account(accountId),
      store(shop, accountId),
      coupon(plain, accountId),
      ...[ann.id, ben.id, stranger].map((id) => customer(id)),
      group(talk, [ann.id, stranger]),
    ],
    rulesWithFeeding: {
      "the customer of each `customer_coupon` that was issued, changed or withdrawn.": async () => {
        const [id, forBen] = [suite.id("issued"), suite.id("issued")];
        expectSame(await framesAfter(issued(id, ann.id, plain, shop)), [[changedFrame("coupons")], []]);
        const lines = [issued(id, ann.id, plain, shop, { total_count: 2 }), issued(forBen, ben.id, plain, shop)];
        expectSame(await framesAfter(...lines), [[changedFrame("coupons")], [changedFrame("coupons")]]);
        expectSame(await framesAfter(deleted("customer_coupon", { id })), [[changedFrame("coupons")], []]);
        expectSame(await framesAfter(deleted("customer", { id: ben.id })), [[], [changedFrame("coupons")]]);
        await suite.feed(customer(ben.id));
      },
      "A `coupon` notifies nobody: it may have a million holders": async () => {
        expectSame(await framesAfter(coupon(plain, accountId, { name: suite.word() })), [[], []]);
        expectSame(await framesAfter(deleted("coupon", { id: plain })), [[], []]);
        await suite.feed(coupon(plain, accountId));
      },
      "the customers of new balance entries, even if these add up to nothing": async () => {
        const lines = ["1.00", "-1.00"].map((amount) => entry(suite.id("entry"), ben.id, shop, amount));
        expectSame(await framesAfter(...lines), [[], [changedFrame("balance")]]);
        const newEntry = entry(suite.id("entry"), ann.id, shop, "1.00");
        expectSame(await framesAfter(...lines, newEntry), [[changedFrame("balance")], []]);
      },
      "A line that changes nothing notifies nobody. Nobody hears of what concerns somebody else.": async () => {
        const ids = suite.ids("entry issued talk message");
        const repeatedLines = [
          entry(ids.entry, ben.id, shop, "1.00"),
          issued(ids.issued, ann.id, plain, shop),
          message(ids.message, ids.talk, ann.id, "old", { sent_at: "2026-01-04 09:00:00" }),
        ];
        await framesAfter(group(ids.talk, [ann.id, ben.id, stranger]), ...repeatedLines);
        // No frame announces a change of these kinds, or another order of the members.
        const unannouncedLines = [
          group(ids.talk, [ann.id, stranger, ben.id]),
          messageState(ids.talk, ann.id, { read_at: "2026-02-01 00:00:00" }),
          deleted("message", { id: suite.id("unknown") }),
          customer(ann.id, "Augusta Conform"),
          store(shop, accountId, { name: "Side Street" }),
          membership(shop, ann.id),
          friendship(ann.id, ben.id, 1),
          block(ben.id, ann.id),
        ];
        const foreignLine = entry(suite.id("entry"), stranger, shop, "1.00");
        expectSame(await framesAfter(...repeatedLines, ...unannouncedLines, foreignLine), [[], []]);
      },
      "the members of a group whose shown messages changed or of which a message lost its body": async () => {
        const id = suite.id("message");
        await suite.feed(message(id, talk, ann.id, "rude", { sent_at: "2026-01-04 09:00:00" }));
        expectSame(await framesAfter(deleted("message", { id })), [[changedFrame("messages")], []]);
      },
      "who was added to a group or removed from one; the members of a removed group": async () => {
        const id = suite.id("talk");
        const sentAt = { sent_at: "2026-01-05 09:00:00" };
        await suite.feed(group(id, [ann.id, stranger]), message(suite.id("message"), id, ann.id, "old", sentAt));
        const [, framesOfBen] = await framesAfter(group(id, [ann.id, stranger, ben.id]));
        expectSame(framesOfBen, [changedFrame("messages")]);
        expectSame(await framesAfter(group(id, [ann.id, stranger])), [[], [changedFrame("messages")]]);
        expectSame(await framesAfter(deleted("message_group", { id })), [[changedFrame("messages")], []]);
      },
    },
  };
}

export async function liveVersion(suite: Suite): Promise<Section> {
  const accountId = suite.accountId();
  const versionOfFeed = async () => Number((await suite.feed(account(accountId))).headers.get("X-Feed-Version"));

  return {
    section: "live, 4",
    rulesWithFeeding: {
      "Each feed request that is committed adds one to the feed version. Every 200 of the feed has it in the header `X-Feed-Version`.":
        async () => {
          const [first, second] = [await versionOfFeed(), await versionOfFeed()];
          // Other clients may feed meanwhile.
          expectThat(0 < first && first < second, `X-Feed-Version was ${first}, then ${second}`);
        },
    },
  };
}

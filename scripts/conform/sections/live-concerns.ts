import { expectSame } from "../expect.ts";
import { account, coupon, customer, entry, group, issued, message, store } from "../lines.ts";
import { type Listener, listen } from "../socket.ts";
import type { Line, Section, Suite } from "../suite.ts";

const QUIET_MS = 1_500;
const changed = (...what: string[]) => JSON.stringify({ type: "changed", what });

/** docs/contract/live.md, 3 */
export async function liveConcerns(suite: Suite): Promise<Section> {
  const { ann, ben } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, plain, talk, other } = suite.ids("shop plain talk other");

  /** Feeds lines, and gives the frames that the two callers get. */
  const framesAfter = async (...lines: Line[]) => {
    const listeners: Listener[] = [];
    try {
      for (const { token } of [ann, ben]) listeners.push(await listen(suite, token));
      await suite.feed(...lines);
      await suite.http.sleep(QUIET_MS);
      return listeners.map(({ frames }) => frames.slice(1));
    } finally {
      for (const listener of listeners) listener.close();
    }
  };

  return {
    cited: "live, 3",
    lines: [
      account(accountId),
      store(shop, accountId),
      coupon(plain, accountId),
      ...[ann.id, ben.id, other].map((id) => customer(id)),
      group(talk, [ann.id, other]),
    ],
    feeds: {
      "the customer of each `customer_coupon` that was issued, changed or withdrawn.": async () => {
        const [id, other] = [suite.id("issued"), suite.id("issued")];
        expectSame(await framesAfter(issued(id, ann.id, plain, shop)), [[changed("coupons")], []]);
        const lines = [issued(id, ann.id, plain, shop, { total_count: 2 }), issued(other, ben.id, plain, shop)];
        expectSame(await framesAfter(...lines), [[changed("coupons")], [changed("coupons")]]);
        const withdrawn = { record: "customer_coupon", id, deleted: true };
        expectSame(await framesAfter(withdrawn), [[changed("coupons")], []]);
      },
      "A `coupon` notifies nobody: it may have a million holders": async () => {
        expectSame(await framesAfter(coupon(plain, accountId, { name: suite.word() })), [[], []]);
      },
      "the customers of new balance entries, even if these add up to nothing": async () => {
        const lines = ["1.00", "-1.00"].map((amount) => entry(suite.id("entry"), ben.id, shop, amount));
        expectSame(await framesAfter(...lines), [[], [changed("balance")]]);
      },
      "A line that changes nothing notifies nobody. Nobody hears of what concerns somebody else.": async () => {
        const line = entry(suite.id("entry"), ben.id, shop, "1.00");
        await suite.feed(line);
        const lines = [line, customer(ann.id), entry(suite.id("entry"), other, shop, "1.00")];
        expectSame(await framesAfter(...lines), [[], []]);
      },
      "the members of a group whose shown messages changed or of which a message lost its body": async () => {
        const line = message(suite.id("message"), talk, ann.id, "rude", { sent_at: "2026-01-04 09:00:00" });
        await suite.feed(line);
        const frames = await framesAfter({ record: "message", id: line.id, deleted: true });
        expectSame(frames, [[changed("messages")], []]);
      },
      "who was added to a group or removed from one; the members of a removed group": async () => {
        await suite.feed(message(suite.id("message"), talk, ann.id, "old", { sent_at: "2026-01-05 09:00:00" }));
        const added = group(talk, [ann.id, other, ben.id]);
        expectSame((await framesAfter(added))[1], [changed("messages")]);
        const removed = { record: "message_group", id: talk, deleted: true };
        expectSame(await framesAfter(removed), [[changed("messages")], [changed("messages")]]);
        await suite.feed(group(talk, [ann.id, other]));
      },
    },
  };
}

import { describe, it } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { framesOf, listenAs, sleep } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";

const MESSAGES = "/api/v1/customer/messages";
const LATEST_MS = 1_500;
// On a busy machine one message may be late.
const MESSAGES_AT_MOST = 5;

async function seedPair() {
  const account = seed.account();
  const store = seed.store(account.id);
  const coupon = seed.coupon(account.id);
  const [ada, bo] = [seed.customer(), seed.customer()];
  const group = seed.group([ada.id, bo.id]);
  await mustFeed([account, store, coupon, ada, bo, group]);
  return {
    bo: bo.id,
    pay: () => mustFeed([seed.entry(bo.id, store.id, "1.00")]),
    issue: () => mustFeed([seed.customerCoupon(bo.id, coupon.id, store.id)]),
    write: (body: string) => mustFeed([seed.message(group.id, ada.id, { body })]),
  };
}

/** Waits for a moment of the second at which what follows is surely in the same second. */
async function secondsBegin(): Promise<void> {
  const into = Date.now() % 1_000;
  if (into > 100) await sleep(1_010 - into);
}

describe("changes that follow each other", () => {
  it("by more than 250 ms are two frames", async ({ expect }) => {
    const { bo, pay, issue } = await seedPair();
    const socket = await listenAs(bo);

    await pay();
    await socket.next();
    await issue();

    expect(await framesOf(socket, bo)).toEqual([["balance"], ["coupons"]]);
  });
});

describe("a message's frame", () => {
  it("comes once the endpoint shows it: a poll at that moment gets it", async ({ expect }) => {
    const { bo, write } = await seedPair();
    const before = await as(bo).get(MESSAGES);
    const socket = await listenAs(bo);
    expect(before.body.errorCode).toBe("NO_ITEMS");

    let isPrompt = false;
    for (let messages = 0; messages < MESSAGES_AT_MOST && !isPrompt; messages += 1) {
      await secondsBegin();
      const checkTime = encodeURIComponent(String(await value("SELECT datetime('now', '-1 second')")));
      await write(`Hi ${messages}`);
      const early = await as(bo).get(`${MESSAGES}?check_time=${checkTime}`);
      const earlyAt = Date.now();
      const frame = await socket.next();
      const toldAt = Date.now();
      const polled = await as(bo).get(`${MESSAGES}?check_time=${checkTime}`);

      expect(frame).toEqual({ type: "changed", what: ["messages"] });
      expect(polled.body.items[0].last_message).toBe(`Hi ${messages}`);
      const secondEnds = Date.parse(`${polled.body.items[0].last_message_time}Z`) + 1_000;
      expect(toldAt).toBeGreaterThanOrEqual(secondEnds);
      if (earlyAt < secondEnds) expect(early.body.errorCode).toBe("NO_ITEMS");
      isPrompt = earlyAt < secondEnds && toldAt < secondEnds + LATEST_MS;
    }
    expect(isPrompt).toBe(true);
  });

  it("comes for one of the next second too, and each poll gets its message", async ({ expect }) => {
    const { bo, write } = await seedPair();
    const socket = await listenAs(bo);
    const poll = (checkTime: string) => as(bo).get(`${MESSAGES}?check_time=${encodeURIComponent(checkTime)}`);
    const now = async () => String(await value("SELECT datetime('now', '-1 second')"));
    let checkTime = await now();

    const bodies: string[] = [];
    for (const text of ["One", "Two"]) {
      await write(text);
      await socket.next();
      const { body } = await poll(checkTime);
      bodies.push(body.items[0].last_message);
      checkTime = body.items[0].last_message_time;
    }

    expect(bodies).toEqual(["One", "Two"]);
    expect(await framesOf(socket, bo)).toEqual([["messages"], ["messages"]]);
  });
});

import { describe, it, vi } from "vitest";
import { as, mustFeed } from "../support/api.ts";
import { framesOf, inInbox, type Listener, listenAs, sleep } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";

const MESSAGES = "/api/v1/customer/messages";
const GATHER_MS = 250;

async function seedPair() {
  const account = seed.account();
  const store = seed.store(account.id);
  const coupon = seed.coupon(account.id);
  const [ada, bo] = [seed.customer(), seed.customer()];
  const group = seed.group([ada.id, bo.id]);
  await mustFeed([account, store, coupon, ada, bo, group]);
  return {
    ada: ada.id,
    bo: bo.id,
    pay: () => mustFeed([seed.entry(bo.id, store.id, "1.00")]),
    issue: () => mustFeed([seed.customerCoupon(bo.id, coupon.id, store.id)]),
    everything: () =>
      mustFeed([
        seed.entry(bo.id, store.id, "1.00"),
        seed.customerCoupon(bo.id, coupon.id, store.id),
        seed.group([bo.id, ada.id]),
      ]),
    write: (body: string) => mustFeed([seed.message(group.id, ada.id, { body })]),
  };
}

/** The time at which each frame but the first came, from now on. */
function timesOf({ socket }: Listener): number[] {
  const times: number[] = [];
  socket.addEventListener("message", () => void times.push(Date.now()));
  return times;
}

/** Waits for a moment of the second at which what follows is surely in the same second. */
async function secondsBegin(): Promise<void> {
  const into = Date.now() % 1_000;
  if (into > 100) await sleep(1_010 - into);
}

describe("changes that follow each other", () => {
  it("within 250 ms are one frame", async ({ expect }) => {
    const { bo, pay, issue } = await seedPair();
    const socket = await listenAs(bo);

    await pay();
    await issue();
    await pay();

    expect(await framesOf(socket, bo)).toEqual([["coupons", "balance"]]);
  });

  it("are listed as messages, coupons, balance", async ({ expect }) => {
    const { bo, everything } = await seedPair();
    const socket = await listenAs(bo);
    // So that no message's second still runs: the frame for a group would wait for its end.
    await sleep(1_100);

    await everything();

    expect(await framesOf(socket, bo)).toEqual([["messages", "coupons", "balance"]]);
  });

  it("by more are two", async ({ expect }) => {
    const { bo, pay, issue } = await seedPair();
    const socket = await listenAs(bo);

    await pay();
    await socket.next();
    await issue();

    expect(await framesOf(socket, bo)).toEqual([["balance"], ["coupons"]]);
  });

  it("are sent 250 ms after the first, not after the last", async ({ expect }) => {
    const { bo, pay } = await seedPair();
    const socket = await listenAs(bo);
    const times = timesOf(socket);
    const startedAt = Date.now();

    while (Date.now() < startedAt + 1_500) {
      await pay();
      await sleep(50);
    }
    await framesOf(socket, bo);

    const gaps = times.slice(0, -1).map((time, index) => time - (times[index - 1] ?? startedAt));
    expect(gaps.length).toBeGreaterThanOrEqual(3);
    // They are seen when they arrive, and the first may take longer than the second.
    for (const gap of gaps) expect(gap).toBeGreaterThan(GATHER_MS - 100);
    for (const gap of gaps) expect(gap).toBeLessThan(1_250);
  });

  it("do not hold up a balance until a message is shown", async ({ expect }) => {
    const { bo, pay, write } = await seedPair();
    const socket = await listenAs(bo);

    await secondsBegin();
    await write("Hi");
    await pay();

    expect(await framesOf(socket, bo)).toEqual([["balance"], ["messages"]]);
  });
});

describe("a message's frame", () => {
  it("comes once the endpoint shows it: a poll at that moment gets it", async ({ expect }) => {
    const { bo, write } = await seedPair();
    const before = await as(bo).get(MESSAGES);
    const checkTime = encodeURIComponent(String(await value("SELECT datetime('now', '-1 second')")));
    const socket = await listenAs(bo);
    await secondsBegin();

    await write("Hi");
    const early = await as(bo).get(`${MESSAGES}?check_time=${checkTime}`);
    const frame = await socket.next();
    const toldAt = Date.now();
    const polled = await as(bo).get(`${MESSAGES}?check_time=${checkTime}`);

    expect(before.body.errorCode).toBe("NO_ITEMS");
    expect(early.body.errorCode).toBe("NO_ITEMS");
    expect(frame).toEqual({ type: "changed", kinds: ["messages"] });
    expect(polled.body.items[0].last_message).toBe("Hi");
    const secondEnds = Date.parse(`${polled.body.items[0].last_message_time}Z`) + 1_000;
    expect(toldAt).toBeGreaterThanOrEqual(secondEnds);
    expect(toldAt).toBeLessThan(secondEnds + 1_500);
  });

  it("comes for one of the next second too, and each poll gets its message", async ({ expect }) => {
    const { bo, write } = await seedPair();
    const socket = await listenAs(bo);
    const poll = (checkTime: string) => as(bo).get(`${MESSAGES}?check_time=${encodeURIComponent(checkTime)}`);
    const now = async () => String(await value("SELECT datetime('now', '-1 second')"));
    let checkTime = await now();

    await secondsBegin();
    await write("One");
    await sleep(1_000);
    await write("Two");
    const bodies: string[] = [];
    for (let frames = 0; frames < 2; frames += 1) {
      await socket.next();
      const { body } = await poll(checkTime);
      bodies.push(body.items[0].last_message);
      checkTime = body.items[0].last_message_time;
    }

    expect(bodies).toEqual(["One", "Two"]);
    expect(await framesOf(socket, bo)).toEqual([["messages"], ["messages"]]);
  });

  it("is not starved by a message every 100 ms", async ({ expect }) => {
    const { bo, write } = await seedPair();
    const socket = await listenAs(bo);
    const times = timesOf(socket);
    const startedAt = Date.now();

    for (let sent = 0; Date.now() < startedAt + 3_500; sent += 1) {
      await write(`message ${sent}`);
      await sleep(100);
    }
    await vi.waitUntil(() => times.length >= 3, { timeout: 5_000 });

    const gaps = [startedAt, ...times].slice(0, -1).map((time, index) => (times[index] ?? 0) - time);
    for (const gap of gaps) expect(gap).toBeLessThan(2_000);
    await framesOf(socket, bo);
  });

  it("leaves nothing in the inbox however many messages come: one entry a step of 50 ms", async ({ expect }) => {
    const { bo, write } = await seedPair();
    const socket = await listenAs(bo);

    await secondsBegin();
    await Promise.all(Array.from({ length: 30 }, (_, index) => write(`message ${index}`)));
    const pending = await inInbox(bo, ({ storage }) => storage.kv.get<unknown[]>("pending"));

    expect(pending?.length).toBeLessThanOrEqual(20);
    expect((await framesOf(socket, bo)).length).toBeLessThanOrEqual(2);
    expect(await inInbox(bo, ({ storage }) => storage.kv.get("pending"))).toEqual([]);
  });
});

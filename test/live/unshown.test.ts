import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { acceptFeed } from "../../src/feed/queries.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { beginListening } from "../../src/inbox/listeners.ts";
import { notifyOfFeed } from "../../src/inbox/notify.ts";
import { as, mustFeed, ndjson } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import { connection, evict, framesOf, type Listener, listenAs, listenOn } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { waitFor } from "../support/wait.ts";

const MESSAGES = "/api/v1/customer/messages";

let second = 10;

/** Stops D1's clock, so that a message is not shown before the test says so, however slow the machine is. */
function nextSecond(): Promise<void> {
  second += 1;
  // The second is over in 200 ms, and then a frame is due.
  return setClock(`2027-01-01 00:00:${second}`, 800);
}

async function seedPair() {
  const [ada, bo] = [seed.customer(), seed.customer()];
  const group = seed.group([ada.id, bo.id]);
  await mustFeed([ada, bo, group]);
  return { bo: bo.id, line: seed.message(group.id, ada.id, { body: "Just now" }) };
}

/** Does some work between the commit of the listener's row and the opening of the socket. */
function beforeSocketOpens(work: () => Promise<unknown>): void {
  const connect = Inboxes.prototype.connect;
  vi.spyOn(Inboxes.prototype, "connect").mockImplementation(async function (this: Inboxes, connection) {
    await work();
    return connect.call(this, connection);
  });
}

describe("a message that is fed between the listener's row and the socket", () => {
  it("has a frame if its second is not over, even if the inbox is evicted", async ({ expect }) => {
    const { bo, line } = await seedPair();
    await nextSecond();
    beforeSocketOpens(async () => {
      await nextSecond();
      await mustFeed([line]);
      await evict(bo);
    });

    const socket = await listenAs(bo);
    const afterHello = await as(bo).get(MESSAGES);
    await waitFor(() => expect(socket.frames).toHaveLength(2));
    await nextSecond();
    const afterFrame = await as(bo).get(MESSAGES);

    expect(afterHello.body).toMatchObject({ status: false, errorCode: "NO_ITEMS" });
    expect(await framesOf(socket, bo)).toEqual([["messages"]]);
    expect(afterFrame.body.items).toMatchObject([{ last_message: "Just now" }]);
  });
});

describe("a message that is fed while a socket opens", () => {
  it.for([
    "row, commit, notify, open",
    "row, commit, open, notify",
    "row, open, commit, notify",
    "commit, row, notify, open",
    "commit, row, open, notify",
    "commit, notify, row, open",
  ])("has one frame in the order: %s", async (order, { expect }) => {
    const { bo, line } = await seedPair();
    // Makes the customer a listener, so that the inbox is notified in every order.
    await as(bo).get(MESSAGES);
    const db = new Database(env.DB, "first-primary");
    const inboxes = new Inboxes(env);
    let shownAt: number | undefined;
    let accepted: Awaited<ReturnType<typeof acceptFeed>> | undefined;
    let socket: Listener | undefined;
    const steps: Record<string, () => Promise<void>> = {
      row: async () => {
        shownAt = (await beginListening(db, bo)).unshown?.shownAt;
      },
      commit: async () => {
        const body = new TextEncoder().encode(ndjson([line]));
        accepted = await acceptFeed(db, { body, token: { accounts: "*", restores: false } });
      },
      notify: async () => {
        if (accepted !== undefined) await notifyOfFeed(inboxes, accepted.forListeners, { db, inBackground: () => {} });
      },
      open: async () => {
        const messageWaitMs = shownAt === undefined ? null : Math.max(0, shownAt - Date.now());
        const { webSocket } = await inboxes.connect(connection(bo, { messageWaitMs }));
        if (webSocket !== null) socket = listenOn(webSocket);
      },
    };
    await nextSecond();

    for (const step of order.split(", ")) await steps[step]?.();
    await waitFor(() => expect(socket?.frames).toHaveLength(2));

    expect(socket && (await framesOf(socket, bo))).toEqual([["messages"]]);
  });
});

import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { acceptFeed } from "../../src/feed/accept.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { beginListening } from "../../src/inbox/listeners.ts";
import { as, mustFeed, ndjson } from "../support/api.ts";
import { setClock } from "../support/clock.ts";
import {
  connection,
  evict,
  framesOf,
  inboxOf,
  inInbox,
  type Listener,
  listenAs,
  listenOn,
  notification,
  sleep,
} from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";
import { waitFor } from "../support/wait.ts";

const MESSAGES = "/api/v1/customer/messages";

afterEach(() => vi.restoreAllMocks());

let second = 10;

/** Stops D1's clock, so that a message is not shown before the test says so, however slow the machine is. */
function nextSecond(): Promise<void> {
  second += 1;
  // A frame is due 200 ms later, when the second is over.
  return setClock(`2027-01-01 00:00:${second}`, 800);
}

async function seedPair() {
  const [ada, bo] = [seed.customer(), seed.customer()];
  const group = seed.group([ada.id, bo.id]);
  await mustFeed([ada, bo, group]);
  const line = () => seed.message(group.id, ada.id, { body: "Just now" });
  return { bo: bo.id, line, write: () => mustFeed([line()]) };
}

/** Does some work between the commit of the listener's row and the opening of the socket. */
function beforeSocketOpens(work: () => Promise<unknown>): void {
  const connect = Inboxes.prototype.connect;
  vi.spyOn(Inboxes.prototype, "connect").mockImplementation(async function (this: Inboxes, connection) {
    await work();
    return connect.call(this, connection);
  });
}

describe("a message whose second is not over when a socket opens", () => {
  it.for(["stays in memory", "loses its memory"])(
    "has its frame where it is stored between the listener's row and the socket, and the inbox %s",
    async (how, { expect }) => {
      const { bo, write } = await seedPair();
      await nextSecond();
      beforeSocketOpens(async () => {
        await nextSecond();
        await write();
        if (how === "loses its memory") await evict(bo);
      });

      const socket = await listenAs(bo);
      const afterHello = await as(bo).get(MESSAGES);
      await waitFor(() => expect(socket.frames).toHaveLength(2));
      await nextSecond();
      const afterFrame = await as(bo).get(MESSAGES);

      expect(afterHello.body).toMatchObject({ status: false, errorCode: "NO_ITEMS" });
      expect(await framesOf(socket, bo)).toEqual([["messages"]]);
      expect(afterFrame.body.items).toMatchObject([{ last_message: "Just now" }]);
      socket.socket.close();
    },
  );
});

describe("a message that is committed and notified while a socket opens", () => {
  const STEPS = ["row", "commit", "notify", "open"] as const;
  const ORDERS = permutations(STEPS).filter(
    (order) => order.indexOf("row") < order.indexOf("open") && order.indexOf("commit") < order.indexOf("notify"),
  );

  function permutations<Item>(items: readonly Item[]): Item[][] {
    if (items.length === 0) return [[]];
    return items.flatMap((item) => permutations(items.filter((one) => one !== item)).map((rest) => [item, ...rest]));
  }

  it.for(ORDERS.map((order) => order.join(", ")))("has one frame in the order: %s", async (order, { expect }) => {
    const { bo, line } = await seedPair();
    // Makes the customer a listener, so that the inbox is notified in every order.
    await as(bo).get(MESSAGES);
    const db = new Database(env.DB, "first-primary");
    const inboxes = new Inboxes(env);
    let shownAt: number | null = null;
    let accepted: Awaited<ReturnType<typeof acceptFeed>> | undefined;
    let socket: Listener | undefined;
    const steps: Record<(typeof STEPS)[number], () => Promise<void>> = {
      row: async () => {
        shownAt = (await beginListening(db, bo)).unshown?.shownAt ?? null;
      },
      commit: async () => {
        const body = new TextEncoder().encode(ndjson([line()]));
        accepted = await acceptFeed(db, { body, token: { accounts: "*", restores: false } });
      },
      notify: async () => {
        if (accepted === undefined) throw new Error("nothing was committed");
        const [change] = accepted.forListeners.changes;
        const newestAt = String(change?.newestAt);
        const messageWaitMs = Math.max(0, Number(accepted.forListeners.unshown?.shownAt) - Date.now());
        await inboxes.notify(bo, notification({ kinds: ["messages"], newestAt, messageWaitMs }));
      },
      open: async () => {
        const messageWaitMs = shownAt && Math.max(0, shownAt - Date.now());
        const { webSocket } = await inboxes.connect(connection(bo, { messageWaitMs }));
        if (webSocket === null) throw new Error("no socket");
        socket = listenOn(webSocket);
      },
    };
    await nextSecond();

    for (const step of STEPS.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))) await steps[step]();
    await waitFor(() => expect(socket?.frames).toHaveLength(2));

    expect(socket && (await framesOf(socket, bo))).toEqual([["messages"]]);
    socket?.socket.close();
  });
});

describe("a message whose second is over when a socket opens", () => {
  it("has no frame, because the app gets it after hello", async ({ expect }) => {
    const { bo, write } = await seedPair();
    await nextSecond();
    beforeSocketOpens(async () => {
      await nextSecond();
      await write();
      await sleep(400);
      await nextSecond();
    });

    const socket = await listenAs(bo);
    const afterHello = await as(bo).get(MESSAGES);

    expect(afterHello.body.items).toMatchObject([{ last_message: "Just now" }]);
    expect(await framesOf(socket, bo)).toEqual([]);
    socket.socket.close();
  });
});

describe("an inbox without sockets", () => {
  it("stores a notification with one write, and none that is about no message", async ({ expect }) => {
    const id = seed.freshId("c");
    const writes = await inInbox(id, ({ storage }) => vi.spyOn(storage.kv, "put"));

    const inbox = await inboxOf(id);
    const [newestAt, messageWaitMs] = ["2027-01-01 00:00:00", 800];
    await inbox.notify(notification({ kinds: ["messages", "balance"], newestAt, messageWaitMs }));
    const afterMessage = writes.mock.calls.length;
    await inbox.notify(notification({ kinds: ["balance"] }));

    expect([afterMessage, writes.mock.calls.length]).toEqual([1, 1]);
  });
});

describe("the listener's row when a socket opens", () => {
  const leftAfterOpening = async (hours: number) => {
    const id = seed.freshId("c");
    await rows(
      "INSERT INTO listeners (customer_id, until) SELECT ?, datetime(now, ?) FROM clock",
      id,
      `+${hours} hours`,
    );
    const { socket } = await listenAs(id);
    socket.close();
    const [row] = await rows(
      "SELECT (unixepoch(until) - unixepoch(now)) / 3600.0 AS hours FROM listeners, clock WHERE customer_id = ?",
      id,
    );
    return Number(row?.hours);
  };

  it("is written if it is valid for less than two hours", async ({ expect }) => {
    expect(await leftAfterOpening(1.9)).toBeGreaterThan(23.9);
    expect(await leftAfterOpening(2.1)).toBeLessThan(2.2);
  });
});

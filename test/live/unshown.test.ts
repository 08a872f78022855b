import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Database } from "../../src/db/database.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { as, mustFeed } from "../support/api.ts";
import { setClock, stopClock } from "../support/clock.ts";
import { evict, framesOf, handshake, listenAs } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { acceptLines } from "../support/state.ts";
import { customerToken } from "../support/tokens.ts";
import { waitFor } from "../support/wait.ts";

let second = 10;

/** Moves D1's clock on, which is stopped so that a second is over only when the test says so. Shows nothing. */
function nextSecond(): Promise<void> {
  second += 1;
  return stopClock(`2027-01-01 00:00:${second}`, 800);
}

const textsOf = async (id: string) =>
  ((await as(id).get("/api/v1/customer/messages")).body.items ?? []).map(
    (group: { last_message: string }) => group.last_message,
  );

/** A customer, and a message to them. */
async function seedPair() {
  const [ada, bo] = [seed.customer(), seed.customer()];
  const group = seed.group([ada.id, bo.id]);
  await mustFeed([ada, bo, group]);
  await setClock(`2027-01-01 00:00:${second}`);
  await nextSecond();
  return { bo: bo.id, line: seed.message(group.id, ada.id, { body: "Just now" }) };
}

/** Stores a line as a Worker does that ends before it shows and notifies anything. */
const store = (line: ReturnType<typeof seed.message>) => acceptLines(new Database(env.DB, "first-primary"), [line]);

describe("a message that is not shown yet when its reader opens a socket", () => {
  it("is shown before hello, although nobody was notified of it", async ({ expect }) => {
    const { bo, line } = await seedPair();
    await store(line);
    let isOpen = false;
    const opening = listenAs(bo).finally(() => {
      isOpen = true;
    });

    await scheduler.wait(200);
    expect(isOpen).toBe(false);
    await nextSecond();
    const socket = await opening;

    expect(await textsOf(bo)).toEqual(["Just now"]);
    expect(await framesOf(socket, bo)).toEqual([]);
  });

  it("refuses the socket with 503 if it cannot be shown", async ({ expect }) => {
    const { bo, line } = await seedPair();
    await store(line);
    vi.spyOn(Database.prototype, "newPrimarySession").mockImplementation(() => {
      throw new Error("D1_ERROR: D1 DB is overloaded.");
    });

    const answer = await handshake({ Authorization: `Bearer ${await customerToken(bo)}` });

    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { errorCode: "UNAVAILABLE", message: expect.stringContaining("a new message cannot be shown") },
    ]);
  });

  it("has a frame if it is stored between the listener's row and the socket, even if the inbox is evicted", async ({
    expect,
  }) => {
    const { bo, line } = await seedPair();
    const connect = Inboxes.prototype.connect;
    vi.spyOn(Inboxes.prototype, "connect").mockImplementation(async function (this: Inboxes, connection) {
      await mustFeed([line]);
      return connect.call(this, connection);
    });

    const socket = await listenAs(bo);
    await evict(bo);
    const textsAfterHello = await textsOf(bo);
    await nextSecond();
    await waitFor(() => expect(socket.frames).toHaveLength(2));

    expect(textsAfterHello).toEqual([]);
    expect(await framesOf(socket, bo)).toEqual([["messages"]]);
    expect(await textsOf(bo)).toEqual(["Just now"]);
  });
});

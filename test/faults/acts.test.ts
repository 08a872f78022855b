import { beforeAll, describe, it, vi } from "vitest";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { mustFeed } from "../support/api.ts";
import { senderTo } from "../support/bindings.ts";
import { databaseThrough } from "../support/databases.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import { till } from "../support/till.ts";
import { countOwnTime, passFakeTime, timed } from "../support/wait.ts";

// An act is a write of a till or a customer (src/records/acts.ts). The entry of a till stands for all.

const account = seed.account();
const store = seed.store(account.id);
const customer = seed.customer();

beforeAll(() => mustFeed([account, store, customer]));

const book = (id: string, bindings: object = {}) =>
  till({}, senderTo(bindings)).post("/entries", { id, customer_id: customer.id, store_id: store.id, amount: "1.00" });
const countStored = (id: string) => value("SELECT count(*) FROM balance_entries WHERE id = ?", id);
const LOST = new Error("D1_ERROR: Network connection lost.");

describe("an act", () => {
  it.for<[when: string, isCommitted: boolean, repeated: boolean]>([
    ["before it was committed", false, false],
    ["after it was committed", true, true],
  ])("is sent once more if the connection is lost %s", async ([when, isCommitted, repeated], { expect }) => {
    let batches = 0;
    const DB = databaseThrough(async ({ send }) => {
      batches += 1;
      if (batches > 1) return send();
      if (isCommitted) await send();
      throw LOST;
    });
    const before = Number(await value("SELECT balance FROM customers WHERE id = ?", customer.id));

    const { status, body } = await book(`lost ${when}`, { DB });

    expect([status, body.items?.repeated, batches]).toEqual([200, repeated, 2]);
    expect(await value("SELECT balance FROM customers WHERE id = ?", customer.id)).toBe(before + 100);
    expect(await countStored(`lost ${when}`)).toBe(1);
  });

  it("is 503 with Retry-After 1 if the connection is lost twice, or D1 refuses", async ({ expect }) => {
    for (const [message, expected] of [
      ["Network connection lost.", 2],
      ["D1 DB is overloaded.", 1],
    ] as const) {
      let batches = 0;
      const DB = databaseThrough(async () => {
        batches += 1;
        throw new Error(`D1_ERROR: ${message}`);
      });

      const { status, headers, body } = await book("never", { DB });

      expect([status, headers.get("Retry-After"), body.errorCode]).toEqual([503, "1", "UNAVAILABLE"]);
      expect(batches).toBe(expected);
    }
    expect(await countStored("never")).toBe(0);
  });

  it("is 503 after four seconds without an answer", async ({ expect }) => {
    countOwnTime();
    const DB = databaseThrough(() => new Promise(() => {}));

    const request = timed(book("stalled", { DB }));
    await passFakeTime(4_000);
    const { value: answer, milliseconds } = await request;

    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(Math.abs(milliseconds - 4_000)).toBeLessThan(500);
  });

  it("is 507 while the database is full", async ({ expect }) => {
    const DB = databaseThrough(async () => {
      throw new Error("D1_ERROR: Exceeded maximum DB size");
    });

    const { status, body } = await book("full", { DB });

    expect([status, body.errorCode]).toEqual([507, "DATABASE_FULL"]);
  });

  it("is refused while only a restore may write, but a look-up is not", async ({ expect }) => {
    const { status, headers } = await book("closed", { FEED: "restore" });
    const find = await till({}, senderTo({ FEED: "restore" })).post("/customers/find", { scan_id: "none" });

    expect([status, headers.get("Retry-After"), find.status]).toEqual([503, "60", 404]);
  });

  it("notifies its listener, and a repetition or a refusal notifies nobody", async ({ expect }) => {
    await rows("INSERT INTO listeners (customer_id, until) VALUES (?, '9999-01-01 00:00:00')", customer.id);
    const notify = vi.spyOn(Inboxes.prototype, "notify").mockResolvedValue(undefined as never);

    const { headers } = await book("heard");
    await vi.waitFor(() => expect(notify).toHaveBeenCalledTimes(1));
    await book("heard");
    await till().post("/entries", { id: "no", customer_id: "nobody", store_id: store.id, amount: "1.00" });

    expect(notify.mock.calls).toEqual([[customer.id, expect.objectContaining({ topics: ["balance"] })]]);
    expect(headers.get("X-D1-Bookmark")).toMatch(/^[0-9a-f]{8}-/);
    await vi.waitFor(async () => expect(await rows("SELECT * FROM outbox")).toEqual([]));
  });

  it("ends the time in which a restore is taken", async ({ expect }) => {
    await rows("UPDATE program_state SET restorable = 1");

    await book("after a restore");

    expect(await value("SELECT restorable FROM program_state")).toBe(0);
  });
});

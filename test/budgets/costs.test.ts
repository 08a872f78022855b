import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { Database } from "../../src/db/database.ts";
import { beginListening } from "../../src/inbox/listeners.ts";
import { showMessages } from "../../src/inbox/message-clock.ts";
import { findChanges, removeNotified } from "../../src/inbox/outbox.ts";
import { mustFeed } from "../support/api.ts";
import { costOf } from "../support/bindings.ts";
import { setClock, stopClock } from "../support/clock.ts";
import { MESSAGES_PATH } from "../support/listeners.ts";
import { inboxOf, inInbox, listenAs, notification } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows } from "../support/state.ts";
import { customerToken } from "../support/tokens.ts";

// docs/costs.py computes with these figures. The names in brackets are its variables.

const GROUPS = 20;
const INBOX_CHANGE_ROWS = 1;
const [reader, writer] = [seed.customer(), seed.customer()];
const readerId = String(reader.id);
const groups = Array.from({ length: GROUPS }, () => seed.group([reader.id, writer.id]));
const newMessage = () => seed.message(groups[7]?.id, writer.id);

beforeAll(async () => {
  await setClock("2027-03-01 00:00:00");
  await mustFeed([reader, writer, ...groups, ...groups.map(({ id }) => seed.message(id, writer.id))]);
  await setClock("2027-03-01 00:00:10");
  await mustFeed([newMessage()]);
  await setClock("2027-03-01 00:00:20");
});

const primary = () => new Database(env.DB, "first-primary");

async function poll(checkTime: string) {
  const headers = { Authorization: `Bearer ${await customerToken(readerId)}` };
  return costOf(`${MESSAGES_PATH}?check_time=${encodeURIComponent(checkTime)}`, { headers });
}

/** The rows that an inbox has written so far. */
const writtenRows = (customerId: string) =>
  inInbox(customerId, ({ storage }) => Number(storage.sql.exec("SELECT total_changes() AS rows").one().rows));

describe("billed rows", () => {
  it("are 7 for a poll with nothing new (quiet_rows), and 31 for a poll with one new group (news_rows)", async ({
    expect,
  }) => {
    const [quietPoll, pollWithNews] = [await poll("2027-03-01 00:00:15"), await poll("2027-03-01 00:00:05")];

    expect(quietPoll).toEqual({ roundTrips: 1, rowsRead: 7, rowsWritten: 0 });
    expect(pollWithNews).toEqual({ roundTrips: 1, rowsRead: 31, rowsWritten: 0 });
  });

  it("are 4 that a subscription reads (subscription_rows), and 1 that a customer's first subscription writes", async ({
    expect,
  }) => {
    const [firstDb, secondDb] = [primary(), primary()];

    await beginListening(firstDb, String(writer.id), Date.now());
    await beginListening(secondDb, String(writer.id), Date.now());

    expect([firstDb.usage.rowsWritten, secondDb.usage.rowsWritten]).toEqual([1, 0]);
    expect(secondDb.usage.rowsRead).toBe(4);
  });

  it("are 3 that a change writes: into the outbox, out of it, and to show its message (change_rows)", async ({
    expect,
  }) => {
    await rows("DELETE FROM listeners");
    await setClock("2027-03-01 00:00:30");
    const usageWithoutListener = await feedUsage([newMessage()]);
    await beginListening(primary(), readerId, Date.now());
    await setClock("2027-03-01 00:00:40");
    const usageWithListener = await feedUsage([newMessage()]);
    await stopClock("2027-03-01 00:01:11");
    const [showing, removing] = [primary(), primary()];

    await showMessages(showing);
    await showMessages(showing);
    const changes = await findChanges(primary());
    const removedChanges = await removeNotified(removing, changes, new Set([readerId]));

    expect(removedChanges).toBe(1);
    const outboxRows = usageWithListener.rowsWritten - usageWithoutListener.rowsWritten;
    expect(outboxRows + removing.usage.rowsWritten + showing.usage.rowsWritten).toBe(3);
  });

  it("are 1 that an inbox writes for a subscription, and 1 for a change, and take 12,288 bytes on disk", async ({
    expect,
  }) => {
    const inbox = await inboxOf("somebody");
    await inbox.subscribe({ newestAt: "", bookmark: "", at: 1 });

    const rowsBefore = await writtenRows("somebody");
    await inbox.subscribe({ newestAt: "", bookmark: "", at: 2 });
    const afterSubscription = await writtenRows("somebody");
    await inbox.notify(notification({ topics: ["messages"], newestAt: "2027-03-01 00:00:16" }));
    const afterNotification = await writtenRows("somebody");

    expect(afterSubscription - rowsBefore).toBe(1);
    expect(afterNotification - afterSubscription).toBe(INBOX_CHANGE_ROWS);
    expect(await inInbox("somebody", ({ storage }) => storage.sql.databaseSize)).toBe(12_288);
  });

  it("are 3 more that an inbox writes for a change that it sends to a socket (inbox_frame_rows)", async ({
    expect,
  }) => {
    const socket = await listenAs(readerId);
    const rowsBefore = await writtenRows(readerId);

    await (await inboxOf(readerId)).notify(notification({ topics: ["messages"], newestAt: "2027-03-01 00:00:16" }));
    await socket.next();

    const frameRows = (await writtenRows(readerId)) - rowsBefore - INBOX_CHANGE_ROWS;
    expect(frameRows).toBe(3);
    socket.socket.close();
  });
});

import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { Database } from "../../src/db/database.ts";
import { findChanges, removeNotified } from "../../src/inbox/outbox/queries.ts";
import { beginListening, showMessages } from "../../src/inbox/queries.ts";
import { PATH } from "../customer/messages/support.ts";
import { mustFeed } from "../support/api.ts";
import { setClock, stopClock } from "../support/clock.ts";
import { costOf } from "../support/cost.ts";
import { columnBelow } from "../support/costs-page.ts";
import { inboxOf, inInbox, listenAs, notification } from "../support/live.ts";
import * as seed from "../support/seed.ts";
import { feedUsage, rows } from "../support/state.ts";
import { customerToken } from "../support/tokens.ts";

// What docs/costs.md says is measured, measured.

const FIGURES = columnBelow("### Figures", "figure");
const GROUPS = 20;
const [reader, writer] = [seed.customer(), seed.customer()];
const readerId = String(reader.id);
const groups = Array.from({ length: GROUPS }, () => seed.group([reader.id, writer.id]));
const news = () => seed.message(groups[7]?.id, writer.id);

beforeAll(async () => {
  await setClock("2027-03-01 00:00:00");
  await mustFeed([reader, writer, ...groups, ...groups.map(({ id }) => seed.message(id, writer.id))]);
  await setClock("2027-03-01 00:00:10");
  await mustFeed([news()]);
  await setClock("2027-03-01 00:00:20");
});

const primary = () => new Database(env.DB, "first-primary");

async function pollRows(checkTime: string) {
  const headers = { Authorization: `Bearer ${await customerToken(readerId)}` };
  return (await costOf(`${PATH}?check_time=${encodeURIComponent(checkTime)}`, { headers })).rowsRead;
}

/** The rows that an inbox has written so far. */
const written = (customerId: string) =>
  inInbox(customerId, ({ storage }) => Number(storage.sql.exec("SELECT total_changes() AS rows").one().rows));

describe("docs/costs.md", () => {
  it("says how many rows a poll reads that D1 answers, with nothing new and with one new group", async ({ expect }) => {
    expect(await pollRows("2027-03-01 00:00:15")).toBe(FIGURES.get("quiet_rows"));
    expect(await pollRows("2027-03-01 00:00:05")).toBe(FIGURES.get("news_rows"));
  });

  it("says how many rows a subscription reads", async ({ expect }) => {
    const db = primary();

    await beginListening(db, readerId);

    expect(db.usage.rowsRead).toBe(FIGURES.get("subscription_rows"));
  });

  it("says how many rows a change writes into the outbox, out of it, and to show its message", async ({ expect }) => {
    await rows("DELETE FROM listeners");
    await setClock("2027-03-01 00:00:30");
    const unheard = await feedUsage([news()]);
    await beginListening(primary(), readerId);
    await setClock("2027-03-01 00:00:40");
    const heard = await feedUsage([news()]);
    await stopClock("2027-03-01 00:01:10");
    const [showing, removing] = [primary(), primary()];

    await showMessages(showing);
    const changes = await findChanges(primary());
    const removed = await removeNotified(removing, changes, () => true);

    expect(removed).toBe(1);
    const into = heard.rowsWritten - unheard.rowsWritten;
    expect(into + removing.usage.rowsWritten + showing.usage.rowsWritten).toBe(FIGURES.get("change_rows"));
  });

  it("says how many rows an inbox writes for a subscription and a change, and what it takes on disk", async ({
    expect,
  }) => {
    const inbox = await inboxOf("somebody");
    await inbox.subscribe({ newestAt: "", at: 1 });

    const [before] = [await written("somebody")];
    await inbox.subscribe({ newestAt: "", at: 2 });
    const subscribed = await written("somebody");
    await inbox.notify(notification({ kinds: ["messages"], newestAt: "2027-03-01 00:00:16" }));
    const notified = await written("somebody");

    expect(subscribed - before).toBe(FIGURES.get("inbox_subscription_rows"));
    expect(notified - subscribed).toBe(FIGURES.get("inbox_change_rows"));
    expect(await inInbox("somebody", ({ storage }) => storage.sql.databaseSize)).toBe(FIGURES.get("object_bytes"));
  });

  it("says how many rows more an inbox writes for a change with a frame", async ({ expect }) => {
    const socket = await listenAs(readerId);
    const before = await written(readerId);

    await (await inboxOf(readerId)).notify(notification({ kinds: ["messages"], newestAt: "2027-03-01 00:00:16" }));
    await socket.next();

    const more = (await written(readerId)) - before - Number(FIGURES.get("inbox_change_rows"));
    expect(more).toBe(FIGURES.get("inbox_frame_rows"));
    socket.socket.close();
  });
});

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { findMessageGroups } from "../../../src/customer/messages/queries.ts";
import { Database } from "../../../src/db/database.ts";
import { showMessages } from "../../../src/inbox/message-clock.ts";
import { stopClock } from "../../support/clock.ts";
import * as seed from "../../support/seed.ts";
import { acceptLines } from "../../support/state.ts";

const [reader, writer] = [seed.customer(), seed.customer()];
const groups = Array.from({ length: 3 }, () => seed.group([reader.id, writer.id]));
const messages = groups.map(({ id }) => seed.message(id, writer.id));

/** The commits of the primary. A replica makes them too, later. */
const COMMITS = [
  (db: Database) => acceptLines(db, [reader, writer, ...groups]),
  (db: Database) => acceptLines(db, messages),
  (db: Database) => showMessages(db),
];

async function commit(index: number, d1: D1Database): Promise<void> {
  await stopClock(`2027-01-01 00:00:0${index}`, 0, d1);
  await COMMITS[index]?.(new Database(d1, "first-primary"));
}

/** A D1 whose nearest database is the replica. */
const nearReplica = {
  withSession: (start?: string) => (start === "first-primary" ? env.DB : env.TEST_REPLICA).withSession(start),
};

describe("a later page of messages", () => {
  it("is read at the primary until the replica shows each message of the first page", async ({ expect }) => {
    const query = { customerId: reader.id, checkTime: "", page: { offset: 0, limit: 2 } };
    for (const index of COMMITS.keys()) await commit(index, env.DB);
    const { items: firstPage } = await findMessageGroups(new Database(env.DB, "first-primary"), {
      ...query,
      after: undefined,
    });
    const [{ last_message_time: up_to = "" } = {}, { last_message_time: time = "", group_id = "" } = {}] = firstPage;
    await applyD1Migrations(env.TEST_REPLICA, env.TEST_MIGRATIONS);

    const laterPages: unknown[] = [];
    for (const index of COMMITS.keys()) {
      await commit(index, env.TEST_REPLICA);
      const db = new Database(nearReplica, "first-unconstrained");
      const { items } = await findMessageGroups(db, { ...query, after: { time, group_id, up_to, shown: 2 } });
      laterPages.push({ groupIds: items.map((item) => item.group_id), roundTrips: db.usage.roundTrips });
    }

    const groupIds = [groups[2]?.id];
    expect(laterPages).toEqual([
      { groupIds, roundTrips: 2 },
      { groupIds, roundTrips: 2 },
      { groupIds, roundTrips: 1 },
    ]);
  });
});

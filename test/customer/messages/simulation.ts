import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { findMessageGroups } from "../../../src/customer/messages/queries.ts";
import { MessagesQuery } from "../../../src/customer/messages/routes.ts";
import { Database } from "../../../src/db/database.ts";
import { acceptFeed } from "../../../src/feed/accept.ts";
import { mustFeed, ndjson } from "../../support/api.ts";
import { showStoredMessages, stopClock } from "../../support/clock.ts";
import { databaseThrough } from "../../support/databases.ts";
import * as seed from "../../support/seed.ts";
import type { Message, Poller } from "./model.ts";

const START = Date.UTC(2027, 0, 1);

/** A second of the simulated clock as the interface writes it. */
export function toText(second: number): string {
  return new Date(START + second * 1_000).toISOString().slice(0, 19).replace("T", " ");
}

/** Sets the clock of the Worker and of D1: the two always agree here. Messages whose second is over are shown. */
export async function setClocks(second: number): Promise<void> {
  await stopClocks(second);
  await showStoredMessages();
}

/** The same, and nothing is shown. */
export async function stopClocks(second: number): Promise<void> {
  vi.setSystemTime(START + second * 1_000);
  await stopClock(toText(second));
}

/** A customer with groups in which another writes. */
export async function createGroups(count: number) {
  const [reader, writer] = [seed.customer(), seed.customer()];
  const groups = Array.from({ length: count }, () => seed.group([reader.id, writer.id]));
  await mustFeed([reader, writer, ...groups]);
  return { reader: reader.id, writer: writer.id, groups: groups.map(({ id }) => id) };
}

/** A message on its way: its body is its id, so that a poller can tell what it has seen. */
export interface Sent {
  id: string;
  group: string;
  sentAt: number | null;
}

/**
 * Sends messages to the feed. The Worker takes them at once; their statements reach the database when `arrive` is
 * called, which ends when they are stored.
 */
export function send(writer: string, messages: readonly Sent[]): { arrive: () => Promise<void> } {
  const lines = messages.map(({ id, group, sentAt }) =>
    seed.message(group, writer, { id, body: id, sent_at: sentAt === null ? null : toText(sentAt) }),
  );
  const gate = Promise.withResolvers<void>();
  const body = new TextEncoder().encode(ndjson(lines));
  const gated = databaseThrough(({ send }) => gate.promise.then(send));
  const database = new Database(gated, "first-primary");
  const answer = acceptFeed(database, { body, token: { accounts: "*", restores: false } });
  return {
    arrive: async () => {
      gate.resolve();
      await answer;
    },
  };
}

/** Reads the next page of a poller's poll at the nearest replica, as its link asks for it. */
export async function readPage(
  reader: string,
  { checkTime, after }: Pick<Poller, "checkTime" | "after">,
  pageSize: number,
): Promise<{ page: Pick<Message, "id" | "group" | "time">[]; hasMore: boolean }> {
  const query = MessagesQuery.parse({
    after:
      after === null
        ? undefined
        : JSON.stringify({ time: toText(after.time), up_to: toText(after.upTo), group_id: after.group, shown: 0 }),
  });
  const { items, hasMore } = await findMessageGroups(new Database(env.DB, "first-unconstrained"), {
    customerId: reader,
    checkTime: checkTime === null ? "" : toText(checkTime),
    page: { offset: 0, limit: pageSize },
    after: query.after,
  });
  const page = items.map(({ record, group_id, last_message_time }) => ({
    id: JSON.parse(record).last_message,
    group: group_id,
    time: (Date.parse(`${last_message_time.replace(" ", "T")}Z`) - START) / 1_000,
  }));
  return { page, hasMore };
}

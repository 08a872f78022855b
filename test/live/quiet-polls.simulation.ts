import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { findMessageGroups } from "../../src/customer/messages/queries.ts";
import type { MessageGroup } from "../../src/customer/messages/schema.ts";
import { Database } from "../../src/db/database.ts";
import { Inboxes } from "../../src/inbox/inboxes.ts";
import { DEFAULT_PROGRAM } from "../../src/programs/programs.ts";
import { HOUR } from "../customer/messages/model.ts";
import { toText } from "../customer/messages/simulation.ts";
import { type FeedLine, mustFeed } from "../support/api.ts";
import type { ReplicatedDatabase } from "../support/replicas.ts";
import * as seed from "../support/seed.ts";
import { rows } from "../support/state.ts";

const real = { notify: Inboxes.prototype.notify, report: Inboxes.prototype.report };

export const WAYS = ["arrives", "is lost", "arrives, but its answer is lost"] as const;

const SHOWS = /^UPDATE "message_clock" SET "stamp" = max/;

/** What becomes of calls to inboxes and of what shows messages, and what has got through. */
export class Network {
  /** Whether the stamps that show messages get through. */
  showsMessages = false;
  notifications: (typeof WAYS)[number] = "arrives";
  holdsReports = false;
  readonly late: (() => Promise<void>)[] = [];
  /** The highest version of which each customer's inbox was notified. */
  readonly notifiedVersions = new Map<string, number>();
  #onTheWay = 0;

  constructor(database: ReplicatedDatabase) {
    const network = this;
    database.beforePrimary = (statements) => {
      if (!network.showsMessages && statements.some(({ sql }) => SHOWS.test(sql))) throw new Error("lost");
    };
    vi.spyOn(Inboxes.prototype, "notify").mockImplementation(async function (this: Inboxes, customerId, notification) {
      if (network.notifications === "is lost") throw new Error("lost");
      await real.notify.call(this, customerId, notification);
      network.notifiedVersions.set(
        customerId,
        Math.max(notification.version, network.notifiedVersions.get(customerId) ?? 0),
      );
      if (network.notifications !== "arrives") throw new Error("its answer is lost");
    });
    vi.spyOn(Inboxes.prototype, "report").mockImplementation(async function (this: Inboxes, customerId, report) {
      if (network.holdsReports) {
        // By then the request is over, and its way to the inboxes with it.
        network.late.push(() =>
          real.report.call(new Inboxes(env.INBOXES, DEFAULT_PROGRAM, () => {}), customerId, report),
        );
        return;
      }
      network.#onTheWay += 1;
      await real.report.call(this, customerId, report);
      network.#onTheWay -= 1;
    });
  }

  /** Waits until the reports have arrived that are not held. */
  async settle(): Promise<void> {
    while (this.#onTheWay > 0) await scheduler.wait(1);
  }
}

/** What D1 alone answers, at the primary or at the nearest replica. Who asks this way does not become a listener by it. */
export async function askD1(
  at: "first-primary" | "first-unconstrained",
  customerId: string,
  checkTime: string | undefined,
): Promise<MessageGroup[]> {
  const page = { offset: 0, limit: 50 };
  return (await findMessageGroups(new Database(env.DB, at), { customerId, checkTime, page, after: undefined })).items;
}

/** When each change was stored of which the customer's inbox was not notified, by the simulated clock. */
export async function findMissedChanges(customerId: string, notifiedVersion: number): Promise<number[]> {
  const found = await rows(
    `SELECT unixepoch(stored_at) - unixepoch(?) AS at FROM outbox
     WHERE version > ? AND EXISTS (SELECT 1 FROM json_each(customers) WHERE value = ?)`,
    toText(0),
    notifiedVersion,
    customerId,
  );
  return found.map(({ at }) => Number(at));
}

export interface World {
  writer: string;
  readers: string[];
  groups: string[];
}

/** Readers, and groups in which another writes to all of them. */
export async function createWorld(readerCount: number, groupCount: number): Promise<World> {
  const writer = seed.customer();
  const readers = Array.from({ length: readerCount }, () => seed.customer());
  const groups = Array.from({ length: groupCount }, () => seed.group([writer.id, ...readers.map(({ id }) => id)]));
  await mustFeed([writer, ...readers, ...groups]);
  return { writer: writer.id, readers: readers.map(({ id }) => id), groups: groups.map(({ id }) => id) };
}

/** What one feed request has, by numbers of readers and groups. */
export type Change =
  | { type: "messages"; groups: readonly number[]; isHistory: boolean }
  | { type: "members"; group: number; readers: readonly number[] }
  | { type: "removed group"; group: number }
  | { type: "erased reader"; reader: number }
  | { type: "reader who is back"; reader: number }
  | { type: "stranger" };

export function linesOf(change: Change, { writer, readers, groups }: World, now: number): FeedLine[] {
  switch (change.type) {
    case "messages": {
      const fields = change.isHistory ? { sent_at: toText(now - 2 * HOUR) } : {};
      return change.groups.map((index) => seed.message(groups[index], writer, fields));
    }
    case "members":
      return [seed.group([writer, ...change.readers.map((index) => readers[index])], { id: groups[change.group] })];
    case "removed group":
      return [seed.deleted("message_group", { id: groups[change.group] })];
    case "erased reader":
      return [seed.deleted("customer", { id: readers[change.reader] })];
    case "reader who is back":
      return [seed.customer({ id: readers[change.reader] })];
    case "stranger":
      return [seed.customer()];
  }
}

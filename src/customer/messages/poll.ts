import type { Database } from "../../db/database.ts";
import type { Paged } from "../../http/paging.ts";
import type { Inboxes } from "../../inbox/inboxes.ts";
import { findMessageGroups, type MessageGroupsQuery } from "./queries.ts";
import type { MessageGroup } from "./schema.ts";

/** A page of groups, and whether the inbox answered or the database. */
interface Polled extends Paged<MessageGroup> {
  source: "inbox" | "primary";
}

/**
 * The groups that a poll asks for. The database is not asked when the customer's inbox is sure that there are none
 * (docs/contract/live.md, 1); else what was read there is reported to the inbox, for the next poll.
 */
export async function pollMessageGroups(db: Database, inboxes: Inboxes, query: MessageGroupsQuery): Promise<Polled> {
  const { customerId, checkTime = "" } = query;
  const answer = await inboxes.poll(customerId, checkTime);
  if (answer?.nothingNew) return { items: [], hasMore: false, source: "inbox" };
  const { news, ...found } = await findMessageGroups(db, query);
  // Not waited for: this answer is right, whatever comes of the report.
  const isNews = answer !== null && news !== null && answer.newestAt !== news.newestAt;
  if (isNews) void inboxes.report(customerId, { ...news, at: answer.at });
  return { ...found, source: "primary" };
}

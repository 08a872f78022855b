import type { Database } from "../../db/database.ts";
import type { Paged } from "../../http/paging.ts";
import type { Inboxes } from "../../inbox/inboxes.ts";
import { isRenewalDue, mayReport, renewListening } from "../../inbox/queries.ts";
import { findMessageGroups, type MessageGroupsQuery } from "./queries.ts";
import type { MessageGroup } from "./schema.ts";

/** A page of groups, and whether the inbox answered, without the database. */
interface Polled extends Paged<MessageGroup> {
  isQuiet: boolean;
}

/**
 * The groups that a poll asks for. The database is not asked when the customer's inbox is sure that there are none
 * (docs/contract/live.md, 1); else what was read there is reported to the inbox, for the next poll. The customer becomes
 * a listener in the background, because only the primary can write that down.
 */
export async function pollMessageGroups(
  db: Database,
  inboxes: Inboxes,
  query: MessageGroupsQuery,
  inBackground: (work: Promise<unknown>) => void,
): Promise<Polled> {
  const { customerId, checkTime = "" } = query;
  // Only for the first page: if the inbox answered another one, its groups would be taken for read.
  const isFirst = query.after === undefined && query.page.offset === 0;
  const answer = isFirst ? await inboxes.poll(customerId, checkTime) : null;
  if (answer?.nothingNew) return { items: [], hasMore: false, isQuiet: true };
  const { news, ...found } = await findMessageGroups(db, query);
  if (isRenewalDue(news)) inBackground(renewListening(db.inBackground(), customerId, "poll"));
  const { version, newestAt } = news;
  const isToReport = answer !== null && answer.newestAt !== newestAt && mayReport(news);
  // Not waited for: this answer is right, whatever comes of the report.
  if (isToReport) void inboxes.report(customerId, { version, newestAt, at: answer.at });
  return { ...found, isQuiet: false };
}

import type { Database } from "../../db/database.ts";
import type { Paged } from "../../http/paging.ts";
import type { Inboxes } from "../../inbox/inboxes.ts";
import { beginListening } from "../../inbox/listeners.ts";
import { findMessageGroups, type GroupRow, type MessageGroupsQuery } from "./queries.ts";

/**
 * The groups that a poll asks for. The database is not asked when the customer's inbox is sure that there are none
 * (docs/contract/live.md, 1): null. An inbox without a subscription gets one in the background, because only the primary
 * can give it.
 */
export async function pollMessageGroups(
  db: Database,
  inboxes: Inboxes,
  query: MessageGroupsQuery,
  inBackground: (work: Promise<unknown>) => void,
): Promise<Paged<GroupRow> | null> {
  const { customerId, checkTime } = query;
  // Only for the first page: if the inbox called a later page empty, the client would move `check_time` past its groups.
  const isFirst = query.after === undefined && query.page.offset === 0;
  const answer = isFirst ? await inboxes.poll(customerId, checkTime) : null;
  if (answer?.nothingNew) return null;
  if (answer?.isSubscribed === false) inBackground(subscribe(db.newPrimarySession(), inboxes, customerId, answer.at));
  return findMessageGroups(db, query);
}

/** A poll need not show what is not shown yet: the Worker that fed does, or else the schedule. `newestAt` counts it. */
async function subscribe(db: Database, inboxes: Inboxes, customerId: string, at: number): Promise<void> {
  const { newestAt } = await beginListening(db, customerId);
  await inboxes.subscribe(customerId, { newestAt, at });
}

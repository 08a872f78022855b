import { type SQL, sql } from "drizzle-orm";
import { names } from "../select.ts";
import { messageGroups } from "../tables.ts";
import type { Derived } from "./derived.ts";

/**
 * The newest message of a group that is not removed, and the newest of an earlier second, which is shown until the newest's second is over.
 * Of several messages in one second the one stored last is shown. Which that was is not recorded: any of the second is
 * as expected, and where it is another's, that with the greatest id is put there.
 */
export const newestMessages: Derived = {
  name: "newest messages of groups",
  over: "message_groups",
  table: "message_groups",
  storedAs: "columns",
  absent: "NULL",
  key: ["key"],
  values: ["newest_at", "newest_id", "earlier_at", "earlier_id"],
  expected: (range) => `
    WITH second AS MATERIALIZED (
      SELECT group_key, sent_at AS at, max(id) AS id,
        row_number() OVER (PARTITION BY group_key ORDER BY sent_at DESC) AS seconds_back
      FROM messages WHERE group_key ${range} GROUP BY group_key, sent_at
    )
    SELECT
      message_groups.key, newest.at AS newest_at, ${ofSecond("newest")} AS newest_id,
      earlier.at AS earlier_at, ${ofSecond("earlier")} AS earlier_id
    FROM message_groups
    JOIN second AS newest ON newest.group_key = message_groups.key AND newest.seconds_back = 1
    LEFT JOIN second AS earlier ON earlier.group_key = message_groups.key AND earlier.seconds_back = 2
    WHERE message_groups.key ${range} AND message_groups.id IS NOT NULL`,
  stored: "key",
};

/** The message that the group names, if it is one of its second; else that with the greatest id. */
function ofSecond(second: "newest" | "earlier"): string {
  return `iif(
    EXISTS (
      SELECT 1 FROM messages
      WHERE id = message_groups.${second}_id AND group_key = message_groups.key AND sent_at = ${second}.at
    ),
    message_groups.${second}_id, ${second}.id
  )`;
}

/**
 * What new messages change. `withFresh` is a `WITH` clause that has them as `message`; `time` says when such a message is
 * sent. Of messages in one second the last line counts; what is stored already came before line 1.
 */
export function updateNewestMessages(withFresh: SQL, time: SQL): SQL {
  const { newest_id, newest_at, earlier_id, earlier_at } = messageGroups;
  return sql`${withFresh},
    candidate(group_key, id, at, number) AS (
      SELECT group_key, id, ${time}, number FROM message
      UNION ALL
      SELECT key, newest_id, newest_at, 0 FROM message_groups
      WHERE key IN (SELECT group_key FROM message) AND newest_id IS NOT NULL
      UNION ALL
      SELECT key, earlier_id, earlier_at, 0 FROM message_groups
      WHERE key IN (SELECT group_key FROM message) AND earlier_id IS NOT NULL
    ),
    ranked AS (
      SELECT group_key, id, at,
        dense_rank() OVER (PARTITION BY group_key ORDER BY at DESC) AS seconds_back,
        row_number() OVER (PARTITION BY group_key, at ORDER BY number DESC) AS rank_in_second
      FROM candidate
    ),
    news AS (
      SELECT group_key,
        max(id) FILTER (WHERE seconds_back = 1) AS newest_id, max(at) FILTER (WHERE seconds_back = 1) AS newest_at,
        max(id) FILTER (WHERE seconds_back = 2) AS earlier_id, max(at) FILTER (WHERE seconds_back = 2) AS earlier_at
      FROM ranked WHERE rank_in_second = 1 AND seconds_back <= 2 GROUP BY group_key
    )
    UPDATE message_groups SET (${names(newest_id, newest_at, earlier_id, earlier_at)})
      = (news.newest_id, news.newest_at, news.earlier_id, news.earlier_at)
    FROM news
    WHERE message_groups.key = news.group_key
      AND (message_groups.newest_id, message_groups.earlier_id) IS NOT (news.newest_id, news.earlier_id)`;
}

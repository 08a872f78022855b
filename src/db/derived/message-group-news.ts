import type { Derived } from "./derived.ts";

const COLUMNS = "customer_key, newest_at, group_id, group_key";

/** The groups of each customer, newest message first. Which is the newest is the group's to say (newest-messages.ts). */
export const messageGroupNews: Derived = {
  name: "groups by their news",
  over: "message_groups",
  table: "message_group_news",
  storedAs: "rows",
  absent: "a difference",
  key: ["customer_key", "newest_at", "group_id", "group_key"],
  values: [],
  expected: (range) => `
    SELECT customer_key, coalesce(newest_at, '') AS newest_at, id AS group_id, group_key
    FROM message_group_members JOIN message_groups ON message_groups.key = group_key WHERE group_key ${range}`,
  stored: (range) => `SELECT ${COLUMNS} FROM message_group_news WHERE group_key ${range}`,
  what: ["group_id", ["customers", "customer_key"]],
};

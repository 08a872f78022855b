import { type JsonText, merge, storedJson, toJson } from "../../http/json-text.ts";
import type { MessageGroup } from "./answer-schema.ts";
import type { GroupRow } from "./queries.ts";

/** A group as JSON. What the database has made of its members goes out as it is: it can be half a megabyte. */
export function toGroup({ following: _, others, ...group }: GroupRow): JsonText {
  return merge(toJson(group satisfies Omit<MessageGroup, "group_name" | "group_members">), storedJson(others));
}

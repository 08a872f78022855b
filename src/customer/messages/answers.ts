import { type JsonText, merge, storedJson } from "../../http/json-text.ts";
import type { GroupRow } from "./queries.ts";

/** A group as JSON, which the database has made: its members can be half a megabyte. */
export function toGroup({ record, others }: GroupRow): JsonText {
  return merge(storedJson(record), storedJson(others));
}

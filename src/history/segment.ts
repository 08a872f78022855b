import type { historySegments } from "../db/tables/index.ts";
import { DEFAULT_PROGRAM } from "../programs/programs.ts";

/** An object with events that have left the database, as its row says (docs/contract/history.md, 2). */
export type Segment = typeof historySegments.$inferSelect;

/** No program can be called so: a name has no underscore. */
const FOLDER_OF_DEFAULT_PROGRAM = "default_program";

/** The name of a segment's object: `acme/play/2026-03/1.ndjson.gz`. */
export function segmentName(
  program: string,
  { kind, month, number }: Pick<Segment, "kind" | "month" | "number">,
): string {
  const folder = program === DEFAULT_PROGRAM ? FOLDER_OF_DEFAULT_PROGRAM : program;
  return `${folder}/${kind}/${month}/${number}.ndjson.gz`;
}

import type { historySegments } from "../db/tables/index.ts";
import { DEFAULT_PROGRAM } from "../programs/programs.ts";

/** An object with events that have left the database, as its row says (docs/contract/history.md, 2). */
export type Segment = typeof historySegments.$inferSelect;

/** No program can be called so: a name has no underscore. */
const FOLDER_OF_DEFAULT_PROGRAM = "default_program";

/** Where a program's objects of a kind and month are: `acme/play/2026-03/`. */
export function folderOf(program: string, { kind, month }: Pick<Segment, "kind" | "month">): string {
  return `${program === DEFAULT_PROGRAM ? FOLDER_OF_DEFAULT_PROGRAM : program}/${kind}/${month}/`;
}

/** The name of a segment's object: `acme/play/2026-03/1.ndjson.gz`. */
export const objectName = (folder: string, number: number) => `${folder}${number}.ndjson.gz`;

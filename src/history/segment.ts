import type { historySegments } from "../db/tables/index.ts";

/** An object with events that have left the database, as its row says (docs/contract/history.md, 2). */
export type Segment = typeof historySegments.$inferSelect;

/** Where the objects of a kind and month are: `play/2026-03/`. */
export const folderOf = ({ kind, month }: Pick<Segment, "kind" | "month">) => `${kind}/${month}/`;

/** The name of a segment's object: `play/2026-03/1.ndjson.gz`. */
export const objectName = (folder: string, number: number) => `${folder}${number}.ndjson.gz`;

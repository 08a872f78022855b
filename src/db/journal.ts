import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { VERSION } from "./columns.ts";
import { columnNames, NOW } from "./select.ts";
import { requests } from "./tables.ts";

/** What a row of the journal says of a transaction. */
interface Journalled {
  source: (typeof requests.$inferSelect)["source"];
  subject: string;
  lines: SQLWrapper;
}

/** Writes the row of the current version into the journal (docs/contract/requests.md, 1). */
export function journal({ source, subject, lines }: Journalled): SQL {
  const columns = columnNames(requests.version, requests.at, requests.source, requests.subject, requests.lines);
  return sql`INSERT INTO ${requests} (${columns}) SELECT ${VERSION}, ${NOW}, ${source}, ${subject}, ${lines}`;
}

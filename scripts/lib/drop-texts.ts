import { sql } from "drizzle-orm";
import { textOf } from "../../src/db/dialect.ts";
import { isEvent } from "../../src/db/select.ts";
import { askDatabase, type DatabaseLocation, literal } from "./database.ts";

/** The table and the field with the text of an event, by kind of record. */
const TEXTS = {
  message: { table: "messages", field: "body" },
  balance_entry: { table: "balance_entries", field: "description" },
};

export const TEXT_KINDS = Object.keys(TEXTS) as (keyof typeof TEXTS)[];

// A statement blocks everybody else from the database, and without an index by customer it reads every row.
const ROWS_A_STATEMENT = 5_000;

/** The number of the customer's events in a chunk, and the chunk's last id; null for the last chunk. */
interface ChunkRow {
  events: number;
  lastId: string | null;
}

/** Empties the texts of a customer's events of a kind. Resolves with the number of these events. */
export async function dropTexts(
  kind: (typeof TEXT_KINDS)[number],
  customer: string,
  database: DatabaseLocation,
): Promise<number> {
  const { table, field } = TEXTS[kind];
  // A summary has no text.
  const hasText = textOf(isEvent(sql.identifier(table)));
  const isOfCustomer = `customer_key = (SELECT key FROM customers WHERE id = ${literal(customer)}) AND ${hasText}`;
  let events = 0;
  for (let lastId: string | null = ""; lastId !== null; ) {
    const chunk: string = `FROM ${table} WHERE id > ${literal(lastId)} ORDER BY id LIMIT ${ROWS_A_STATEMENT}`;
    const [[row] = []]: ChunkRow[][] = await askDatabase<ChunkRow>(
      [
        `SELECT count(*) FILTER (WHERE ${isOfCustomer}) AS events, iif(count(*) = ${ROWS_A_STATEMENT}, max(id), NULL) AS lastId
        FROM (SELECT id, customer_key ${chunk}) AS ${table}`,
        `UPDATE ${table} SET ${field} = '' WHERE ${isOfCustomer} AND ${field} <> '' AND id IN (SELECT id ${chunk})`,
      ],
      database,
    );
    events += row?.events ?? 0;
    lastId = row?.lastId ?? null;
  }
  return events;
}

/** Empties the descriptions of a customer's entries in the changes, which have a till's entry as it was booked. */
export async function dropTextsOfChanges(customer: string, database: DatabaseLocation): Promise<void> {
  for (let last: number | null = 0; last !== null; ) {
    const chunk: string = `FROM requests WHERE version > ${last} ORDER BY version LIMIT ${ROWS_A_STATEMENT}`;
    const [[row] = []]: { last: number | null }[][] = await askDatabase<{ last: number | null }>(
      [
        `SELECT iif(count(*) = ${ROWS_A_STATEMENT}, max(version), NULL) AS last FROM (SELECT version ${chunk})`,
        `UPDATE requests SET line = json_set(line, '$.description', '')
        WHERE version IN (SELECT version ${chunk})
          AND line ->> '$.customer_id' = ${literal(customer)} AND line ->> '$.description' <> ''`,
      ],
      database,
    );
    last = row?.last ?? null;
  }
}

/**
 * Begins to merge the customers' search index, and the schedule goes on with the merge. Until the merge ends, an erased
 * name is still stored in a part of the index that no search reads. By itself the schedule merges only parts of the
 * same size.
 */
export async function mergeSearchIndex(database: DatabaseLocation): Promise<void> {
  const beginMerge = "INSERT INTO customer_words (customer_words, rank) VALUES ('merge', -100)";
  await askDatabase([beginMerge, "UPDATE jobs SET due_at = '' WHERE name = 'merge the search indexes'"], database);
}

import { env } from "cloudflare:workers";
import type { FeedToken } from "../../src/app-env.ts";
import { Database, type Usage } from "../../src/db/database.ts";
import { acceptFeed } from "../../src/feed/queries.ts";
import { type FeedLine, ndjson } from "./api.ts";

export async function rows(query: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  const { results } = await env.DB.prepare(query)
    .bind(...values)
    .all();
  return results;
}

/** The first column of the first row. */
export async function value(query: string, ...values: unknown[]): Promise<unknown> {
  const [row] = await rows(query, ...values);
  return row === undefined ? undefined : Object.values(row)[0];
}

/** Every row of every table, as text. Equal states have equal snapshots. */
export async function snapshot(): Promise<string> {
  const tables = await rows(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`,
  );
  const contents = await Promise.all(tables.map(async ({ name }) => [name, await rows(`SELECT * FROM "${name}"`)]));
  return JSON.stringify(contents);
}

const ALL_ACCOUNTS: FeedToken = { subject: "test", accounts: "*", restores: false };

/** Stores lines as the feed does, without a request. */
export const acceptLines = (db: Database, lines: readonly FeedLine[], token = ALL_ACCOUNTS) =>
  acceptFeed(db, { body: new TextEncoder().encode(ndjson(lines)), token });

/** Each feed request writes its version, and its row of the journal. */
const VERSION_ROWS = 2;

/** The cost at D1 of feeding lines, without the rows of the version. */
export async function feedUsage(lines: readonly FeedLine[], token = ALL_ACCOUNTS): Promise<Usage> {
  const db = new Database(env.DB, "first-primary");
  await acceptLines(db, lines, token);
  return { ...db.usage, rowsWritten: db.usage.rowsWritten - VERSION_ROWS };
}

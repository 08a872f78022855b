import { globSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { ApiError, ask, type Cloudflare, openCloudflare } from "./cloudflare-api.ts";
import { CommandError } from "./project.ts";
import { findDatabase } from "./resources.ts";

/** A database of an environment: the local one in a folder, or the deployed one. */
export type DatabaseLocation = { env: string } & ({ persistTo: string } | { remote: true });

const BUSY_MS = 10_000;

const Answers = z.array(z.object({ results: z.array(z.unknown()) }));

/**
 * Runs statements, and resolves with the rows of each.
 * @throws a CommandError that says in one line why there are none, and what to do.
 */
export async function askDatabase<Row>(statements: readonly string[], database: DatabaseLocation): Promise<Row[][]> {
  const lines = statements.map((statement) => statement.replaceAll(/\s+/g, " ").trim());
  if (!("remote" in database)) return askLocal(lines, database.persistTo) as Row[][];
  const answers = await askDeployed(lines.join("; "), database);
  return answers.map(({ results }) => results as Row[]);
}

/** An SQL expression for a text, safe for any characters. */
export function literal(text: string): string {
  return `CAST(X'${Buffer.from(text).toString("hex")}' AS TEXT)`;
}

const openDatabases = new WeakMap<DatabaseLocation, Promise<{ cloudflare: Cloudflare; route: string }>>();

/** Asks Cloudflare's API directly, because wrangler would take a second for each request. */
async function askDeployed(sql: string, database: DatabaseLocation): Promise<z.output<typeof Answers>> {
  const opening = openDatabases.get(database) ?? openDeployed(database.env);
  openDatabases.set(database, opening);
  const { cloudflare, route } = await opening;
  try {
    return await ask(cloudflare, route, Answers, { sql });
  } catch (error) {
    throw error instanceof ApiError ? refusal(error.message, "npm run deploy") : error;
  }
}

async function openDeployed(env: string): Promise<{ cloudflare: Cloudflare; route: string }> {
  const cloudflare = await openCloudflare(env);
  const id = await findDatabase(cloudflare, env);
  if (id === undefined) throw new CommandError(`There is no database of ${env} yet: npm run deploy makes it.`);
  return { cloudflare, route: `POST /d1/database/${id}/query` };
}

/** Asks the local database. It is a file that several processes may open, even while the service runs. */
function askLocal(statements: readonly string[], persistTo: string): unknown[][] {
  const folder = path.resolve(persistTo);
  const files = globSync("v3/d1/*/*.sqlite", { cwd: folder });
  const file = files.find((name) => path.basename(name) !== "metadata.sqlite");
  if (file === undefined) throw new CommandError(`There is no database in ${folder} yet: npm start makes it.`);
  const database = new DatabaseSync(path.join(folder, file), { timeout: BUSY_MS });
  // IMMEDIATE takes the lock for writing at once. A transaction that begins with a read cannot write if another
  // connection has written meanwhile.
  const writes = statements.some((statement) => !/^(SELECT|WITH)\b/.test(statement));
  try {
    database.exec(writes ? "BEGIN IMMEDIATE" : "BEGIN");
    const rows = statements.map((statement) => database.prepare(statement).all());
    database.exec("COMMIT");
    return rows;
  } catch (error) {
    throw refusal(error instanceof Error ? error.message : String(error), "npm start");
  } finally {
    database.close();
  }
}

function refusal(reason: string, migratingCommand: string): CommandError {
  return new CommandError(
    /no such (table|column)/.test(reason)
      ? `The database lacks migrations: ${migratingCommand} applies them. (${reason})`
      : `The database could not be asked: ${reason}`,
  );
}

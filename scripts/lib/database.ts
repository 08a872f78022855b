import { globSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { ApiError, accountOf, ask, type Cloudflare, openCloudflare } from "./cloudflare-api.ts";
import { configOf, databaseName } from "./environments.ts";
import { CommandError } from "./project.ts";

/** A database of an environment: the local one in a folder, or the deployed one. */
export type Where = { env: string } & ({ persistTo: string } | { remote: true });

/** The same, or a simulated database. */
export type AnyDatabase = Where | { ask: (statements: readonly string[]) => Promise<unknown[][]> };

const BUSY_MS = 10_000;

/**
 * The rows of each statement.
 * @throws a CommandError that says in one line why there are none, and what to do.
 */
export async function askDatabase<Row>(statements: readonly string[], where: AnyDatabase): Promise<Row[][]> {
  if ("ask" in where) return (await where.ask(statements)) as Row[][];
  const lines = statements.map((statement) => statement.replaceAll(/\s+/g, " ").trim());
  if (!("remote" in where)) return askLocal(lines, where.persistTo) as Row[][];
  const answers = (await askDeployed(lines.join("; "), where)) as { results: Row[] }[];
  return answers.map(({ results }) => results);
}

/**
 * Runs statements for every page of a table, because a long statement blocks everybody else from the database. `statements`
 * gets a query of the page's ids. Yields the rows of each page's statements.
 */
export async function* inPages<Row>(
  table: string,
  size: number,
  where: AnyDatabase,
  statements: (page: string) => string[],
  after = "",
): AsyncGenerator<Row[][]> {
  for (let last: string | undefined = Buffer.from(after).toString("hex"); last !== undefined; ) {
    const page: string = `SELECT id FROM ${table} WHERE id > CAST(X'${last}' AS TEXT) ORDER BY id LIMIT ${size}`;
    const findLast = `SELECT hex(max(id)) AS last FROM (${page}) HAVING count(*) = ${size}`;
    const [[end] = [], ...rows] = await askDatabase<Row & { last?: string }>([findLast, ...statements(page)], where);
    yield rows;
    last = end?.last;
  }
}

/** A text in SQL, whatever characters it has. */
export function literal(text: string): string {
  return `CAST(X'${Buffer.from(text).toString("hex")}' AS TEXT)`;
}

interface Deployed {
  cloudflare: Cloudflare;
  path: string;
}

const deployed = new WeakMap<Where, Promise<Deployed>>();

/** Asks Cloudflare's API itself: wrangler would take a second for each request. */
async function askDeployed(sql: string, where: Where): Promise<unknown> {
  const opening = deployed.get(where) ?? openDeployed(where.env);
  deployed.set(where, opening);
  const { cloudflare, path } = await opening;
  try {
    return await ask(cloudflare, "POST", path, { sql });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) throw refusal(error.message, "npm run deploy");
    // The login of wrangler may expire within an hour.
    const again = openDeployed(where.env);
    deployed.set(where, again);
    return ask((await again).cloudflare, "POST", path, { sql });
  }
}

async function openDeployed(env: string): Promise<Deployed> {
  const cloudflare = await openCloudflare(accountOf(env));
  const { database_id: id } = configOf(env).d1_databases.find(({ binding }) => binding === "DB") ?? {};
  const idOrName = id ?? encodeURIComponent(databaseName(env));
  const { uuid } = z.object({ uuid: z.string() }).parse(await ask(cloudflare, "GET", `/d1/database/${idOrName}`));
  return { cloudflare, path: `/d1/database/${uuid}/query` };
}

/** The local database is a file. Others may open it while the service runs. */
function askLocal(statements: readonly string[], persistTo: string): unknown[][] {
  const folder = path.resolve(persistTo);
  const files = globSync("v3/d1/*/*.sqlite", { cwd: folder });
  const file = files.find((name) => path.basename(name) !== "metadata.sqlite");
  if (file === undefined) throw new CommandError(`There is no database in ${folder} yet: npm start makes it.`);
  const database = new DatabaseSync(path.join(folder, file), { timeout: BUSY_MS });
  // A transaction that begins with a read cannot write if somebody else has written meanwhile.
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

function refusal(reason: string, migrating: string): CommandError {
  return new CommandError(
    /no such (table|column)/.test(reason)
      ? `The database lacks migrations: ${migrating} applies them. (${reason})`
      : `The database could not be asked: ${reason}`,
  );
}

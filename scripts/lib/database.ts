import { globSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { ApiError, accountOf, ask, type Cloudflare, openCloudflare } from "./cloudflare-api.ts";
import { configOf, databaseName } from "./environments.ts";
import { CommandError } from "./project.ts";

/** Which database of an environment: the local one in a folder, or the deployed one. */
export type Where = { env: string } & ({ persistTo: string } | { remote: true });

/** The same, or a database that is asked itself: a simulated one. */
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

interface Deployed {
  cloudflare: Cloudflare;
  path: string;
}

const deployed = new WeakMap<Where, Promise<Deployed>>();

/** Wrangler would take a second for each request, so Cloudflare's API is asked itself. */
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
  const named = id ?? encodeURIComponent(databaseName(env));
  const { uuid } = z.object({ uuid: z.string() }).parse(await ask(cloudflare, "GET", `/d1/database/${named}`));
  return { cloudflare, path: `/d1/database/${uuid}/query` };
}

/** The local database is a file, which others may open while the service runs. */
function askLocal(statements: readonly string[], persistTo: string): unknown[][] {
  const folder = path.resolve(persistTo);
  const files = globSync("v3/d1/*/*.sqlite", { cwd: folder });
  const file = files.find((name) => path.basename(name) !== "metadata.sqlite");
  if (file === undefined) throw new CommandError(`There is no database in ${folder} yet: npm start makes it.`);
  const database = new DatabaseSync(path.join(folder, file), { timeout: BUSY_MS });
  // A transaction that begins with reading could not write once somebody else has written.
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

import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ApiError, accountOf, ask, type Cloudflare, openCloudflare } from "./cloudflare-api.ts";
import { configOf, databaseName, environmentFlag } from "./environments.ts";
import { CommandError } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

/** Which database of an environment: the local one in a folder, or the deployed one. */
export type Where = { env: string } & ({ persistTo: string } | { remote: true });

const ATTEMPTS = 5;
const WAIT_MS = 1_000;

/**
 * The rows of each statement.
 * @throws a CommandError that says in one line why there are none, and what to do.
 */
export async function askDatabase<Row>(statements: readonly string[], where: Where): Promise<Row[][]> {
  const sql = statements.map((statement) => statement.replaceAll(/\s+/g, " ").trim()).join("; ");
  const answers = "remote" in where ? await askDeployed(sql, where) : await askLocal(sql, where);
  return (answers as { results: Row[] }[]).map(({ results }) => results);
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
    // What wrangler is logged in with may end within an hour.
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

async function askLocal(sql: string, { env, persistTo }: Where & { persistTo: string }): Promise<unknown> {
  const folder = path.resolve(persistTo);
  // Wrangler would make an empty one.
  if (!existsSync(path.join(folder, "v3", "d1")))
    throw new CommandError(`There is no database in ${folder} yet: npm start makes it.`);
  const place = ["--local", "--persist-to", folder, environmentFlag(env)];
  const args = ["d1", "execute", "DB", ...place, "--json", "--yes", "--command", sql];
  let { status, output, stdout } = await runWrangler(args, { capture: true });
  // A local database is a file: while the service writes to it, nobody else can.
  for (let attempt = 1; status !== 0 && output.includes("SQLITE_BUSY") && attempt < ATTEMPTS; attempt += 1) {
    await sleep(WAIT_MS);
    ({ status, output, stdout } = await runWrangler(args, { capture: true }));
  }
  const json = stdout.slice(stdout.indexOf("["), stdout.lastIndexOf("]") + 1);
  if (status !== 0 || json === "") throw refusal(wranglerError(output), "npm start");
  return JSON.parse(json);
}

function refusal(reason: string, migrating: string): CommandError {
  return new CommandError(
    /no such (table|column)/.test(reason)
      ? `The database lacks migrations: ${migrating} applies them. (${reason})`
      : `The database could not be asked: ${reason}`,
  );
}

/** What wrangler says went wrong: with `--json` an object, else its words as they stand. */
function wranglerError(output: string): string {
  const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  try {
    const { error } = JSON.parse(json) as { error: { text: string; notes?: { text: string }[] } };
    return [error.text, ...(error.notes ?? []).map(({ text }) => text)].join(" ");
  } catch {
    return output.trim();
  }
}

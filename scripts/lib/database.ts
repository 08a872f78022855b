import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { environmentFlag } from "./environments.ts";
import { CommandError } from "./project.ts";
import { runWrangler } from "./wrangler.ts";

/** Which database of an environment: the local one in a folder, or the deployed one. */
export type Where = { env: string } & ({ persistTo: string } | { remote: true });

const ATTEMPTS = 5;
const WAIT_MS = 1_000;

/**
 * The rows of each statement, which wrangler runs.
 * @throws a CommandError that says in one line why it cannot, and what to do.
 */
export async function askDatabase<Row>(statements: readonly string[], where: Where): Promise<Row[][]> {
  // Wrangler would make an empty one.
  if ("persistTo" in where && !existsSync(path.join(where.persistTo, "v3", "d1")))
    throw new CommandError(`There is no database in ${path.resolve(where.persistTo)} yet: npm start makes it.`);
  const place = "persistTo" in where ? ["--local", "--persist-to", path.resolve(where.persistTo)] : ["--remote"];
  const command = statements.map((statement) => statement.replaceAll(/\s+/g, " ").trim()).join("; ");
  const args = ["d1", "execute", "DB", ...place, environmentFlag(where.env), "--json", "--yes", "--command", command];
  let { status, output, stdout } = await runWrangler(args, { capture: true });
  // A local database is a file: while the service writes to it, nobody else can.
  for (let attempt = 1; status !== 0 && output.includes("SQLITE_BUSY") && attempt < ATTEMPTS; attempt += 1) {
    await sleep(WAIT_MS);
    ({ status, output, stdout } = await runWrangler(args, { capture: true }));
  }
  const json = stdout.slice(stdout.indexOf("["), stdout.lastIndexOf("]") + 1);
  if (status !== 0 || json === "") throw new CommandError(refusal(output, where));
  return (JSON.parse(json) as { results: Row[] }[]).map(({ results }) => results);
}

function refusal(output: string, where: Where): string {
  const reason = wranglerError(output);
  if (/no such (table|column)/.test(reason))
    return `The database lacks migrations: ${"persistTo" in where ? "npm start" : "npm run deploy"} applies them. (${reason})`;
  return `The database could not be asked: ${reason}`;
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

import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, runTool } from "./project.ts";

/** Which database: the local one in a folder, or the deployed one of an environment (`""` is production). */
export type Where = { persistTo: string } | { remote: true; env: string };

const ATTEMPTS = 5;
const WAIT_MS = 1_000;

/**
 * The rows of each statement, which wrangler runs.
 * @throws a CommandError with what wrangler says where it cannot.
 */
export async function askDatabase<Row>(statements: readonly string[], where: Where): Promise<Row[][]> {
  const place =
    "persistTo" in where
      ? ["--local", "--persist-to", path.resolve(where.persistTo), "--env="]
      : ["--remote", `--env=${where.env}`];
  const command = statements.map((statement) => statement.replaceAll(/\s+/g, " ").trim()).join("; ");
  const args = ["d1", "execute", "DB", ...place, "--json", "--yes", "--command", command];
  let { status, output } = await runTool("wrangler", args, { capture: true });
  // A local database is a file: while the service writes to it, nobody else can.
  for (let attempt = 1; status !== 0 && output.includes("SQLITE_BUSY") && attempt < ATTEMPTS; attempt += 1) {
    await sleep(WAIT_MS);
    ({ status, output } = await runTool("wrangler", args, { capture: true }));
  }
  const json = output.slice(output.indexOf("["), output.lastIndexOf("]") + 1);
  if (status !== 0 || json === "") throw new CommandError(`The database could not be asked.\n${output.trim()}`);
  return (JSON.parse(json) as { results: Row[] }[]).map(({ results }) => results);
}

import path from "node:path";
import type { Command } from "commander";
import type { Where } from "./database.ts";
import { environmentName, programName } from "./options.ts";
import { CommandError, ROOT } from "./project.ts";

/** What the options say of a database. */
export interface WhereOptions {
  remote?: boolean;
  env?: string;
  program?: string;
  persistTo: string;
}

/** Gives a command the options that say which database it is about. */
export function withWhere(command: Command): Command {
  return command
    .option("--remote", "look at the deployed database instead of the local one")
    .option("--env <name>", "which deployed database: production, unless told, or staging", environmentName)
    .option("--program <name>", "the program, if it is not the default one", programName)
    .option("--persist-to <dir>", "the folder of the local database", path.join(ROOT, ".wrangler", "state"));
}

export function whereOf({ remote, env, program, persistTo }: WhereOptions): Where {
  if (env !== undefined && !remote)
    throw new CommandError("--env names a deployed database: add --remote, or leave it out.");
  return remote ? { remote: true, env: env ?? "production", program } : { persistTo, program };
}

import path from "node:path";
import { Command } from "commander";
import type { DatabaseLocation } from "./database.ts";
import { PRODUCTION } from "./environments.ts";
import { environmentName } from "./options.ts";
import { ROOT } from "./project.ts";

export interface DatabaseOptions {
  remote?: boolean;
  env: string;
  persistTo?: string;
}

export interface ServiceAccess {
  url: string;
  token?: string;
  env: string;
}

/** A command, by the words that start it. After a wrong option it says how to get help. */
export function newCommand(words: string): Command {
  return new Command(`${words} --`).showHelpAfterError(`Try: ${words} -- --help`);
}

/** Adds the options that name the service. */
export function withService(command: Command, token: string): Command {
  return command
    .option("--url <url>", "the service", "http://127.0.0.1:8787")
    .option("--token <token>", `${token}; else LOYALTY_EDGE_TOKEN, else for a local service one of its own`);
}

/** Adds the option that names the environment. */
export function withEnvironment(command: Command): Command {
  return command.option("--env <name>", "which environment of wrangler.toml", environmentName, PRODUCTION);
}

/** Adds the options that name the database. */
export function withDatabase(command: Command): Command {
  return withEnvironment(command)
    .option("--remote", "look at the deployed database instead of the local one")
    .option("--persist-to <dir>", "the folder of the local database, if it is not the environment's own");
}

export function databaseOf({ remote, env, persistTo = stateFolder(env) }: DatabaseOptions): DatabaseLocation {
  return remote ? { remote: true, env } : { persistTo, env };
}

/** The folder where `npm start` stores the data of an environment by default. */
export function stateFolder(env: string): string {
  return path.join(ROOT, ".wrangler", env === PRODUCTION ? "state" : `state-${env}`);
}

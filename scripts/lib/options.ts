import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { codePoints, ID_LIMIT } from "../../src/values/text.ts";
import type { DatabaseLocation } from "./database.ts";
import { environmentNames, PRODUCTION } from "./environments.ts";
import { ROOT } from "./project.ts";

export interface DatabaseOptions {
  remote?: boolean;
  env: string;
  persistTo?: string;
}

/** How to call a service. */
export interface ServiceAccess {
  url: string;
  token?: string;
  env: string;
}

/** The commands that `npm run edge` lists and runs, because few people type them daily. */
export const EDGE_COMMANDS = {
  bench: "Measure every endpoint and the feed on this machine, as ratios to a SELECT 1 and to bare inserts.",
  build: "Build the package of the typed client in client/, as npm pack -w loyalty-edge does.",
  demo: "Print the demo program in the feed's format, one JSON object a line. The lines are the same every time.",
  "false-hits": "Count which hits of a search for a part of a name are false, for each script without blanks.",
  fuzz: "Send random requests, good, nearly good and hostile, to every endpoint and the feed, in the Workers runtime.",
  reference: "Build the reference page in dist/reference, as plain wrangler does.",
  schema: "Write docs/schema.sql anew from the migrations. Run it whenever they change.",
  simulate:
    "Run the service in simulated time on a simulated platform with all its faults, and check its rules at every step.",
  soak: "Load a service of its own with apps and a feed at the same time, then check its memory, answers and totals.",
  typecheck: "Check the types of everything, as npm test does.",
  types: "Write the types of the bindings anew from wrangler.toml. Run it whenever that changes.",
  "verify-totals":
    "Compare all derived data (totals, team links, JSON, search indexes) with the records it follows from.",
};

/** A command of `npm run edge`. */
export function edgeCommand(name: keyof typeof EDGE_COMMANDS): Command {
  return commandOf(`npm run edge -- ${name}`).description(EDGE_COMMANDS[name]);
}

/** A command with an npm script of its own, by the words that start it. */
export function newCommand(words: string): Command {
  return commandOf(`${words} --`);
}

/** A command that says how to get help after a wrong option. */
function commandOf(words: string): Command {
  return new Command(words).showHelpAfterError(`Try: ${words} --help`);
}

export function withService(command: Command, token: string): Command {
  return command
    .option("--url <url>", "the service", serviceUrl, LOCAL_SERVICE)
    .option("--token <token>", `${token} (default: LOYALTY_EDGE_TOKEN, or a new token for a local service)`);
}

export function withEnvironment(command: Command): Command {
  return command.option("--env <name>", "which program of environments.toml", environmentName, PRODUCTION);
}

export function withDatabase(command: Command): Command {
  return withEnvironment(command)
    .option("--remote", "use the deployed database instead of the local one")
    .option("--persist-to <dir>", "the folder of the local database, if it is not the environment's own");
}

export function databaseOf({ remote, env, persistTo = stateFolder(env) }: DatabaseOptions): DatabaseLocation {
  return remote ? { remote: true, env } : { persistTo, env };
}

/** The folder where `npm start` stores the data of an environment by default. */
export function stateFolder(env: string): string {
  return path.join(ROOT, ".wrangler", env === PRODUCTION ? "state" : `state-${env}`);
}

/** The service that `npm start` runs. */
export const LOCAL_SERVICE = "http://127.0.0.1:8787";

/** Parses the address of a service. `localhost:8787` is an address too, with the scheme `localhost`. */
export function serviceUrl(text: string): string {
  if (!["http:", "https:"].includes(URL.parse(text)?.protocol ?? ""))
    throw new InvalidArgumentError(`It must be an address such as ${LOCAL_SERVICE}.`);
  return text;
}

/** A parser of whole numbers of this size. */
export function wholeNumber(least = 0, most = 999_999_999): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most))
      throw new InvalidArgumentError(`It must be a whole number, ${least} to ${most.toLocaleString("en")}.`);
    return number;
  };
}

export function recordId(text: string): string {
  if (text === "" || codePoints(text) > ID_LIMIT)
    throw new InvalidArgumentError(`It must be 1 to ${ID_LIMIT} characters.`);
  return text;
}

/** Parses ids of accounts with commas between them. */
export function accountIds(text: string): string[] {
  const ids = text.split(",").map((id) => id.trim());
  if (ids.every((id) => /^[1-9]\d{0,14}$/.test(id))) return ids;
  throw new InvalidArgumentError("It must be ids of 1 to 15 digits with commas between them.");
}

/** A parser of kinds of record with commas between them. */
export function kindsAmong(knownKinds: readonly string[]): (text: string) => string[] {
  return (text) => {
    const kinds = text.split(",").map((kind) => kind.trim());
    const unknownKinds = kinds.filter((kind) => !knownKinds.includes(kind));
    if (unknownKinds.length > 0) throw new InvalidArgumentError(`There is no kind ${unknownKinds.join(", ")}.`);
    return kinds;
  };
}

export function environmentName(text: string): string {
  const names = environmentNames();
  if (!names.includes(text)) throw new InvalidArgumentError(`It must be ${names.join(" or ")}.`);
  return text;
}

/** Parses the name of a file to write. It checks the folder, so that a long run does not fail at its end. */
export function outputFile(text: string): string {
  const folder = path.dirname(path.resolve(text));
  if (!existsSync(folder)) throw new InvalidArgumentError(`There is no folder ${folder}.`);
  if (statSync(text, { throwIfNoEntry: false })?.isDirectory()) throw new InvalidArgumentError("It is a folder.");
  return text;
}

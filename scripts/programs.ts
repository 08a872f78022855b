import { readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";
import { stringify } from "smol-toml";
import {
  DEVELOPMENT,
  environmentNames,
  envOption,
  PRODUCTION,
  PROGRAM_NAME,
  PROGRAMS_FILE,
  STAGING,
  settingsOf,
} from "./lib/environments.ts";
import { environmentName, newCommand } from "./lib/options.ts";
import { CommandError } from "./lib/project.ts";
import { table } from "./lib/table.ts";
import { replaceFile } from "./lib/whole-file.ts";

export const program = newCommand("npm run programs")
  .description("List, add and remove programs: the tables of environments.toml, each a deployment of its own.")
  .addHelpText("after", "\nNothing is deployed, and no data is deleted. More: docs/deploying.md");

program.command("list").description("list the programs with their Workers, databases and routes").action(list);
program
  .command("add")
  .description("append the table of a program to environments.toml")
  .argument("<name>", "1 to 32 of a-z, 0-9 and -", programName)
  .action(add);
program
  .command("remove")
  .description("say how to remove a program; changes nothing")
  .argument("<name>", "its name", programToRemove)
  .action(remove);

function list(): void {
  const rows = environmentNames().map((env) => {
    const { worker, databaseName, patterns } = settingsOf(env);
    return [env, worker, databaseName, patterns.join(" ") || "workers.dev"];
  });
  console.log(table(["program", "Worker", "database", "routes"], rows));
}

/** Appends a table with the account and the variables of production, but without what holds for its own data and tokens. */
function add(name: string): void {
  if (environmentNames().includes(name)) throw new CommandError(`There is a program ${name} already.`);
  const { service, account_id, vars } = settingsOf(PRODUCTION);
  const { RETENTION_MONTHS: _, REVOKED_TOKENS: __, FEED: ___, ...copied } = vars;
  const hasKeys = Boolean(vars.JWKS_URL || vars.JWKS);
  const audience = `${service.name}-${name}`;
  const newVars = hasKeys ? { ...copied, JWT_AUDIENCE: audience } : copied;
  const added = { ...(account_id && { account_id }), ...(Object.keys(newVars).length > 0 && { vars: newVars }) };
  const text = readFileSync(PROGRAMS_FILE, "utf8").trimEnd();
  replaceFile(PROGRAMS_FILE, `${text}\n\n[${name}]\n${stringify({ [name]: added }).replace(`[${name}]\n`, "")}`);
  const tokens = hasKeys ? `\nTokens of the identity provider must name the audience ${audience}.` : "";
  console.log(`Added [${name}] to environments.toml: the Worker ${settingsOf(name).worker}.${tokens}
To try it on this machine: npm start --${envOption(name)} --port 8788
To deploy it, first give it two secrets of its own, which differ (openssl rand -base64 48):
npm run wrangler -- secret put JWT_SECRET${envOption(name)}
npm run wrangler -- secret put FEED_JWT_SECRET${envOption(name)}
npm run deploy --${envOption(name)}`);
}

function remove(name: string): void {
  const { worker, databaseName, namespaceTitle, kv_id } = settingsOf(name);
  console.log(`Nothing is changed. To remove ${name}, delete these lines of environments.toml:

${linesOf(name).join("\n").trim()}

Its Worker, its database and its KV namespace stay. To delete them for good:
npm run wrangler -- delete --name ${worker}
npm run wrangler -- d1 delete ${databaseName}
npm run wrangler -- kv namespace delete --namespace-id ${kv_id ?? `ID    # of ${namespaceTitle} in npm run wrangler -- kv namespace list`}`);
}

/** The lines of a program's table and of the tables within. */
function linesOf(name: string): string[] {
  let isInTable = false;
  return readFileSync(PROGRAMS_FILE, "utf8")
    .split("\n")
    .filter((line) => {
      const [, header] = /^\s*\[+\s*([^\]]+?)\s*\]/.exec(line) ?? [];
      if (header !== undefined) isInTable = `${header}.`.startsWith(`${name}.`);
      return isInTable;
    });
}

function programName(text: string): string {
  if (!PROGRAM_NAME.test(text)) throw new InvalidArgumentError("It must be 1 to 32 of a-z, 0-9 and -.");
  if (text === DEVELOPMENT) throw new InvalidArgumentError(`${DEVELOPMENT} is what npm start runs.`);
  return text;
}

function programToRemove(text: string): string {
  if (text === PRODUCTION || text === STAGING) throw new InvalidArgumentError(`${PRODUCTION} and ${STAGING} stay.`);
  return environmentName(text);
}

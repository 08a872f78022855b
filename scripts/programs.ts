import { once } from "node:events";
import { createInterface } from "node:readline";
import { Command } from "commander";
import { bindingName } from "../src/programs/programs.ts";
import { environmentFlag, environmentName, programName } from "./lib/options.ts";
import { addProgram, configuredProgram, configuredPrograms, flagOf, removeProgram } from "./lib/program-config.ts";
import { CommandError, main } from "./lib/project.ts";
import { table } from "./lib/table.ts";
import { writeTypes } from "./lib/wrangler.ts";

interface Options {
  env: string;
}

const program = new Command("npm run programs --")
  .description("List, add and remove the programs in wrangler.toml. Each has a database of its own.")
  .showHelpAfterError("Try: npm run programs -- --help")
  .addHelpText("after", "\nNothing is deployed, and no data is deleted. More: docs/deploying.md");

withEnvironment(program.command("list").description("print the programs, each with its database")).action(list);
withEnvironment(
  program
    .command("add")
    .description("add a program, which the next deployment will serve")
    .argument("<name>", "1 to 32 of a-z, 0-9 and -: what its tokens name", programName),
).action(add);
withEnvironment(
  program
    .command("remove")
    .description("remove a program, which the next deployment will not serve any more")
    .argument("<name>", "its name, which is asked for again", programName),
).action(remove);

await main(() => program.parseAsync());

function withEnvironment(command: Command): Command {
  return command.option("--env <name>", "production or staging", environmentName, "production");
}

function list({ env }: Options): void {
  const rows = configuredPrograms(env).map(({ name, binding, databaseName }) => [
    name || "(default)",
    binding,
    databaseName,
  ]);
  console.log(table(["program", "binding", "database"], rows));
}

async function add(name: string, { env }: Options): Promise<void> {
  const { binding, databaseName } = addProgram(name, env);
  await writeTypes();
  const secret = `npm run wrangler -- secret put ${bindingName("JWT_SECRET", name)} ${environmentFlag(env)}`;
  console.log(`Added ${name} to ${env}, as ${binding}. The next deployment, npm run deploy${deployFlag(env)},
- makes the database ${databaseName}, or takes it as it is where there is one of that name
- migrates it
- serves tokens with "program": "${name}"
These are checked with the keys of the default program, until it has its own: ${secret}`);
}

async function remove(name: string, { env }: Options): Promise<void> {
  const { databaseName } = configuredProgram(name, env);
  process.stderr.write(`Type its name again to remove ${name} from ${env}: `);
  const answer = await readAnswer();
  if (!process.stdin.isTTY) process.stderr.write("\n");
  if (answer !== name) throw new CommandError("That is another name. Nothing was removed.");
  removeProgram(name, env);
  await writeTypes();
  console.log(`Removed ${name} from ${env}. The next deployment, npm run deploy${deployFlag(env)}, refuses its tokens.
No data is deleted: the database ${databaseName} stays as it is, and its secrets stay with the Worker.
To have it back: npm run programs -- add ${name}${flagOf(env)}`);
}

/** A line of standard input, from a terminal or a pipe; empty where it has ended. */
async function readAnswer(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  const [line] = await Promise.race([once(lines, "line"), once(lines, "close")]);
  lines.close();
  return String(line ?? "").trim();
}

function deployFlag(env: string): string {
  return flagOf(env) === "" ? "" : ` --${flagOf(env)}`;
}

import { newCommand } from "./lib/options.ts";
import { CommandError, main, runTool } from "./lib/project.ts";

const CONFIG = ["--config", "test/slow/vitest.config.ts"];

export const program = newCommand("npm run test:slow")
  .description(
    "Run the commands as people run them: start, feed, deploy, bench, soak, the client, and the reference in a browser.",
  )
  .argument("[arguments...]", "parts of the names of test files, and options of vitest, such as -t TEXT")
  .allowUnknownOption()
  .passThroughOptions()
  .action(run);

if (import.meta.main) await main(() => program.parseAsync());

async function run(args: string[]): Promise<void> {
  if (args.length > 0) await refuseUnknownArguments(args);
  // Vitest prints the failures itself.
  if ((await runTool("vitest", ["run", ...CONFIG, ...args])).status !== 0) process.exitCode = 1;
}

/** @throws a CommandError if vitest does not know an option, or finds no test file. */
async function refuseUnknownArguments(args: readonly string[]): Promise<void> {
  const { status, output } = await runTool("vitest", ["list", "--filesOnly", ...CONFIG, ...args], { capture: true });
  const [, optionError] = /CACError: (.*)/.exec(output) ?? [];
  if (optionError !== undefined) throw new CommandError(`${optionError}. Its options: npm run vitest -- --help`);
  if (status !== 0) throw new CommandError(output.trim());
  if (output.trim() === "") throw new CommandError(`There is no test file such as ${args.join(" ")}.`);
}

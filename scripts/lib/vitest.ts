import { Command } from "commander";
import { CommandError, runTool } from "./project.ts";

/** A command whose arguments go to vitest: parts of file names, and vitest's own options. */
export function vitestCommand(name: string, run: (args: string[]) => Promise<void>): Command {
  return new Command(`npm run ${name} --`)
    .argument("[arguments...]", "parts of the names of test files, and options of vitest, such as -t TEXT")
    .allowUnknownOption()
    .passThroughOptions()
    .action(run);
}

/** @throws a CommandError at once if vitest does not take the arguments, or finds no test file. */
export async function refuseUnknownTests(args: readonly string[]): Promise<void> {
  const { status, output } = await runTool("vitest", ["list", "--filesOnly", ...args], { capture: true });
  const [, optionError] = /CACError: (.*)/.exec(output) ?? [];
  if (optionError !== undefined) throw new CommandError(`${optionError}. Its options: npm run vitest -- --help`);
  if (status !== 0) throw new CommandError(output.trim());
  if (output.trim() === "") throw new CommandError(`There is no test file such as ${args.join(" ")}.`);
}

import { Command } from "commander";
import { CommandError, runTool } from "./project.ts";

/** A command that hands what stands behind its name on to vitest: names of test files, and vitest's own options. */
export function vitestCommand(name: string, run: (args: string[]) => Promise<void>): Command {
  return new Command(`npm run ${name} --`)
    .argument("[arguments...]", "parts of the names of test files, and options of vitest, such as -t TEXT")
    .allowUnknownOption()
    .passThroughOptions()
    .action(run);
}

/** @throws a CommandError where vitest would not take the arguments, or would find no test: before anything else is done. */
export async function refuseUnknownTests(args: readonly string[]): Promise<void> {
  const { status, output } = await runTool("vitest", ["list", "--filesOnly", ...args], { capture: true });
  const [, unknown] = /CACError: (.*)/.exec(output) ?? [];
  if (unknown !== undefined) throw new CommandError(`${unknown}. Its options: npm run vitest -- --help`);
  if (status !== 0) throw new CommandError(output.trim());
  if (output.trim() === "") throw new CommandError(`There is no test file such as ${args.join(" ")}.`);
}

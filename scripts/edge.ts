import { Command } from "commander";
import { EDGE_COMMANDS } from "./lib/options.ts";

/** Lists the commands without an npm script of their own. scripts/run.mjs runs the command that `npm run edge` names. */
export const program: Command = new Command("npm run edge --")
  .helpCommand(false)
  .action(() => program.outputHelp())
  .addHelpText("after", "\nMore of a command: npm run edge -- NAME --help. The other commands: npm run");

for (const [name, description] of Object.entries(EDGE_COMMANDS)) program.command(name).description(description);

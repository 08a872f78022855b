import { newCommand } from "./lib/options.ts";
import { demoLines } from "./program/program.ts";

export const program = newCommand("npm run --silent demo")
  .description(
    "Print the demo program in the feed's format, one JSON object a line. The lines are the same every time.",
  )
  .action(() => {
    // `npm run demo | head` closes the pipe early, which is not an error.
    process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
    const texts = demoLines().map((line) => `${JSON.stringify(line)}\n`);
    process.stdout.write(texts.join(""));
  });

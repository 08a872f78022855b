import { edgeCommand } from "./lib/options.ts";
import { demoLines } from "./program/program.ts";

export const program = edgeCommand("demo").action(() => {
  // `npm run edge -- demo | head` closes the pipe early, which is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  const texts = demoLines().map((line) => `${JSON.stringify(line)}\n`);
  process.stdout.write(texts.join(""));
});

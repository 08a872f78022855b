import { main, runTool } from "./lib/project.ts";
import { refuseUnknownTests, vitestCommand } from "./lib/vitest.ts";

const CONFIG = ["--config", "test/slow/vitest.config.ts"];

export const program = vitestCommand("test:slow", async (args) => {
  if (args.length > 0) await refuseUnknownTests([...CONFIG, ...args]);
  // Vitest prints the failures itself.
  if ((await runTool("vitest", ["run", ...CONFIG, ...args])).status !== 0) process.exitCode = 1;
}).description(
  "Run the commands as people run them: start, feed, deploy, bench, soak, the client, and the reference in a browser.",
);

if (import.meta.main) await main(() => program.parseAsync());

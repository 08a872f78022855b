import { CommandError, main, runTool } from "./lib/project.ts";
import { refuseUnknownTests, vitestCommand } from "./lib/vitest.ts";

const CONFIG = ["--config", "test/slow/vitest.config.ts"];

const program = vitestCommand("test:slow", async (args) => {
  if (args.length > 0) await refuseUnknownTests([...CONFIG, ...args]);
  const { status } = await runTool("vitest", ["run", ...CONFIG, ...args]);
  if (status !== 0) throw new CommandError("Failed: the slow tests.");
}).description(
  "Run the commands as people run them: start, feed, deploy, bench, soak, the client, and the reference in a browser.",
);

await main(async () => {
  await program.parseAsync();
});

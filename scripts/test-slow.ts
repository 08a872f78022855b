import { CommandError, main, runTool } from "./lib/project.ts";

await main(async () => {
  const args = ["run", "--config", "test/slow/vitest.config.ts", ...process.argv.slice(2)];
  const { status } = await runTool("vitest", args);
  if (status !== 0) throw new CommandError("Failed: the slow tests.");
});

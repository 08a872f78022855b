import { edgeCommand } from "./lib/options.ts";
import { runTool } from "./lib/project.ts";

export const program = edgeCommand("types").action(async () => {
  const { status } = await runTool("wrangler", ["types", "--strict-vars=false"]);
  process.exitCode = status;
});

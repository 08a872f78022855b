import { CommandError, main, runTool } from "./lib/project.ts";

// What `npm test` checks, in the order in which it is quickest to fail.
const STEPS: [name: string, tool: string, args: string[]][] = [
  ["lint and format", "biome", ["check", "--error-on-warnings"]],
  ["bindings' types", "wrangler", ["types", "--check", "--env=", "--strict-vars=false"]],
  ["types of src", "tsc", ["-p", "tsconfig.json"]],
  ["types of scripts", "tsc", ["-p", "scripts/tsconfig.json"]],
  ["types of test", "tsc", ["-p", "test/tsconfig.json"]],
  ["tests in workerd", "vitest", ["run", ...process.argv.slice(2)]],
];

await main(async () => {
  for (const [name, tool, args] of STEPS) {
    const startedAt = Date.now();
    const isTest = tool === "vitest";
    const { status, output } = await runTool(tool, args, { capture: !isTest });
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    if (status !== 0) {
      console.error(output);
      throw new CommandError(`Failed: ${name}. Run it alone: npx ${tool} ${args.join(" ")}`);
    }
    console.log(`${name}: good (${seconds} s)`);
  }
});

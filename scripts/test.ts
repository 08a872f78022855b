import { buildClient } from "./lib/client-package.ts";
import { lintOpenApi } from "./lib/lint-openapi.ts";
import { CommandError, main, runTool } from "./lib/project.ts";
import { buildReference } from "./lib/reference.ts";
import { refuseUnknownTests, vitestCommand } from "./lib/vitest.ts";
import { checkBundle } from "./lib/worker-bundle.ts";
import { runWrangler } from "./lib/wrangler.ts";

interface Step {
  name: string;
  /** Resolves with what there is to say; throws a CommandError where something is wrong. */
  run: () => Promise<string>;
}

/** A step that is a tool of its own, which a person can run alone. */
function tool(name: string, file: string, args: string[], { capture = true } = {}): Step {
  return {
    name,
    async run() {
      const { status, output } = await (file === "wrangler"
        ? runWrangler(args, { capture })
        : runTool(file, args, { capture }));
      if (status === 0) return "good";
      console.error(output);
      throw new CommandError(`Failed: ${name}. Run it alone: npx ${file} ${args.join(" ")}`);
    },
  };
}

/** What `npm test` checks, in the order in which it is quickest to fail. */
function stepsOf(vitestArguments: readonly string[]): Step[] {
  return [
    tool("lint and format", "biome", ["check", "--error-on-warnings"]),
    { name: "reference page", run: buildReference },
    tool("bindings' types", "wrangler", ["types", "--check", "--env=", "--strict-vars=false"]),
    tool("types of src", "tsc", ["-p", "tsconfig.json"]),
    tool("types of scripts", "tsc", ["-p", "scripts/tsconfig.json"]),
    tool("types of test", "tsc", ["-p", "test/tsconfig.json"]),
    { name: "client package", run: buildClient },
    { name: "OpenAPI document", run: lintOpenApi },
    { name: "Worker to deploy", run: checkBundle },
    tool("tests in workerd", "vitest", ["run", ...vitestArguments], { capture: false }),
  ];
}

const program = vitestCommand("test", async (args) => {
  if (args.length > 0) await refuseUnknownTests(args);
  for (const { name, run } of stepsOf(args)) {
    const startedAt = Date.now();
    const outcome = await run();
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(`${name}: ${outcome} (${seconds} s)`);
  }
}).description(
  "Lint, check every type, build what is deployed and packed, and run the tests inside the Workers runtime.",
);

await main(async () => {
  await program.parseAsync();
});

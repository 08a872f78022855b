import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createConfig, formatProblems, lintFromString } from "@redocly/openapi-core";
import { openApi } from "../src/reference.ts";
import { buildClient } from "./lib/client-package.ts";
import { newCommand } from "./lib/options.ts";
import { CommandError, ROOT, runTool, shellVariables } from "./lib/project.ts";
import { buildReference } from "./lib/reference.ts";
import { checkBundle } from "./lib/wrangler.ts";
import { TYPE_CHECKS } from "./typecheck.ts";

/** A check that runs a tool of node_modules. */
const tool =
  (file: string, ...args: string[]) =>
  async () => {
    const { status, output } = await runTool(file, args, { capture: true });
    if (status === 0) return "good";
    console.error(output);
    throw new CommandError(`Failed. Run it alone: npx ${file} ${args.join(" ")}`);
  };

// The checks that `npm test` runs beside the tests, the quickest first. A check resolves with a short result, or throws a
// CommandError.
const CHECKS: Record<string, () => Promise<string>> = {
  "lint and format": tool("biome", "check", "--error-on-warnings"),
  "bindings' types": tool("wrangler", "types", "--check", "--strict-vars=false"),
  "client package": buildClient,
  ...Object.fromEntries(
    Object.entries(TYPE_CHECKS).map(([what, file]) => [`types of ${what}`, tool("tsc", "--noEmit", "-p", file)]),
  ),
  "OpenAPI document": lintOpenApi,
  "Worker to deploy": () => checkBundle(),
  // The simulation has a configuration of its own, because it runs in Node.
  simulation: tool("vitest", "run", "--config", "test/simulation/vitest.config.ts"),
};

export const program = newCommand("npm test")
  .description(
    "Lint, check every type, build what is deployed and packed, and run the tests inside the Workers runtime.",
  )
  .addHelpText("after", "\nSome tests only: npm run vitest -- test/feed")
  .action(run);

async function run(): Promise<void> {
  const startedAt = Date.now();
  print(`This takes ${usualTime()}. The tests run beside the checks; what fails is shown after them.`);
  buildReference();
  // The tests take longest, so they start first. The checks run beside them, one at a time, because several would slow
  // the tests down. The output of the tests is printed after that of the checks.
  const stop = new AbortController();
  const tests = runTool("vitest", ["run"], {
    capture: true,
    env: { TESTS_SHOWN: "failed", ...(hasColors() && { FORCE_COLOR: "1" }) },
    onMessage: (progress) => {
      if (Date.now() - printedAt >= SILENT_AT_MOST_MS) print(`tests: ${progress}`);
    },
    signal: stop.signal,
  });
  // The code below awaits the tests. If they fail before that, this prevents an unhandled rejection.
  tests.catch(() => {});
  try {
    for (const [name, check] of Object.entries(CHECKS)) {
      const checkStartedAt = Date.now();
      const result = await check();
      print(`${name}: ${result} (${((Date.now() - checkStartedAt) / 1_000).toFixed(1)} s)`);
    }
  } catch (error) {
    stop.abort();
    await tests;
    throw error;
  }
  const { status, output } = await tests;
  writeFileSync(LAST_SECONDS, String(Math.round((Date.now() - startedAt) / 1_000)));
  process.stdout.write(status === 0 ? summaryIn(output) : output);
  process.exitCode = status;
}

/** What Vitest prints last. Before it, the runtime tells of faults that tests cause. */
const summaryIn = (output: string) => output.slice(output.lastIndexOf("\n\n", output.lastIndexOf("Test Files")) + 1);

const hasColors = () => process.stdout.isTTY && shellVariables().NO_COLOR === undefined;

const SILENT_AT_MOST_MS = 10_000;
let printedAt = 0;

function print(line: string): void {
  console.log(line);
  printedAt = Date.now();
}

/** How many seconds the last whole run on this machine took. */
const LAST_SECONDS = path.join(ROOT, "dist", "npm-test-seconds");

function usualTime(): string {
  if (!existsSync(LAST_SECONDS)) return "about a minute and a half on two processors";
  return `${readFileSync(LAST_SECONDS, "utf8")} seconds, if it takes as long as the last time`;
}

/** Checks the OpenAPI document against the strict rules of Redocly, and prints every broken rule. */
async function lintOpenApi(): Promise<string> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const source = JSON.stringify(openApi(), null, 2);
  const brokenRules = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  // One rule wants a 2xx answer of every operation, but the operation that opens a WebSocket answers 101.
  const problems = brokenRules.filter(({ ruleId, location: [location] }) => {
    return ruleId !== "operation-2xx-response" || !location?.pointer?.includes("~1api~1v1~1customer~1live");
  });
  if (problems.length === 0) return "good";
  formatProblems(problems, { totals: { errors: problems.length, warnings: 0, ignored: 0 }, version: "" });
  throw new CommandError(`Failed: the OpenAPI document breaks ${problems.length} rules, named above.`);
}

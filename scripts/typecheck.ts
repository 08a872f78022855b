import { buildClient } from "./lib/client-package.ts";
import { edgeCommand } from "./lib/options.ts";
import { runTool } from "./lib/project.ts";

/** The configurations of TypeScript by what they check. */
export const TYPE_CHECKS = {
  src: "tsconfig.json",
  scripts: "scripts/tsconfig.json",
  test: "test/tsconfig.json",
  "the client's tests": "client/test/tsconfig.json",
  // It imports the built package of the client.
  "the example app": "examples/app/tsconfig.json",
};

export const program = edgeCommand("typecheck").action(async () => {
  await buildClient();
  for (const file of Object.values(TYPE_CHECKS)) {
    const { status } = await runTool("tsc", ["--noEmit", "-p", file]);
    if (status !== 0) process.exitCode = status;
  }
});

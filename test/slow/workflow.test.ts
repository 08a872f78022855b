import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { ROOT } from "./command.ts";

const workflow = readFileSync(path.join(ROOT, ".github", "workflows", "deploy.yml"), "utf8");
const [beforeLastStep = "", script = ""] = workflow.split("        run: |\n");

/** Runs the last step of the workflow with an npm that only prints its arguments. */
function runLastStep(env: Record<string, string>): string[] {
  const bin = temporaryFolder();
  writeFileSync(path.join(bin, "npm"), '#!/bin/sh\necho "$@"\n');
  chmodSync(path.join(bin, "npm"), 0o755);
  const output = execFileSync("bash", ["-eo", "pipefail", "-c", script], {
    env: {
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      GITHUB_STEP_SUMMARY: "/dev/null",
      CLOUDFLARE_API_TOKEN: "",
      ...env,
    },
    encoding: "utf8",
  });
  return output.trim().split("\n");
}

describe(".github/workflows/deploy.yml", () => {
  it("runs for tags deploy-* and by hand, but not for the tags of releases", ({ expect }) => {
    expect(workflow.slice(workflow.indexOf("on:"), workflow.indexOf("permissions:"))).toMatch(
      /^on:\n {2}push:\n {4}tags: \["deploy-\*"\]\n {2}workflow_dispatch:\n {4}inputs:\n {6}program:\n/,
    );
  });

  it("waits for the tests, and gives the token to its last step only", ({ expect }) => {
    expect(workflow).toMatch(/ {6}- run: bash \.ci\/run\n {2}deploy:\n {4}needs: test\n/);
    expect(workflow.match(/secrets\./g)).toHaveLength(1);
    const [steps = "", lastStep = ""] = beforeLastStep.split("      - name: Deploy");
    expect(steps).toContain("npm ci");
    expect(lastStep).toMatch(/CLOUDFLARE_API_TOKEN: \$\{\{ secrets\.CLOUDFLARE_API_TOKEN \}\}/);
  });

  it.for<[program: string, commands: string[]]>([
    ["all", ["run deploy -- --all"]],
    ["staging", ["run deploy -- --env staging"]],
    ["acme", ["run deploy -- --env staging", "run deploy -- --env acme"]],
  ])("deploys staging first: %s", ([PROGRAM, commands], { expect }) => {
    expect(runLastStep({ PROGRAM, CLOUDFLARE_API_TOKEN: "t" })).toEqual(commands);
  });

  it("deploys nothing without a token", ({ expect }) => {
    expect(runLastStep({ PROGRAM: "all" })).toEqual([expect.stringContaining("nothing is deployed")]);
  });
});

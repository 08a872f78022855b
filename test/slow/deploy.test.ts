import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { command, ROOT } from "./command.ts";

async function run(...args: string[]) {
  const running = command("deploy", args);
  return { status: await running.ended, output: running.output() };
}

describe("npm run deploy", () => {
  it.for(["production", "staging"])(
    "builds %s without reaching anything, and without a token",
    async (env, { expect }) => {
      const { status, output } = await run("--env", env, "--dry-run");

      expect(status).toBe(0);
      expect(output).toContain("Nothing was deployed.");
      const settings = readFileSync(path.join(ROOT, "dist", "reference", "settings.json"), "utf8");
      expect(JSON.parse(settings)).toEqual({});
    },
  );

  it("says in a line what is wrong with an environment", async ({ expect }) => {
    const { status, output } = await run("--env", "nowhere");

    expect(status).toBe(1);
    expect(output).toContain("It must be production or staging.");
    expect(output).not.toContain("    at ");
  });
});

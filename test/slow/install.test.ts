import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { isRunning, ROOT, startProgram, untilPrinted } from "./command.ts";

// Runs the project's runner in a folder without packages. Its npm takes two seconds and then fails.

const clone = temporaryFolder();
mkdirSync(path.join(clone, "scripts"));
copyFileSync(path.join(ROOT, "scripts", "run.mjs"), path.join(clone, "scripts", "run.mjs"));
writeFileSync(
  path.join(clone, "npm.mjs"),
  "console.log(Object.values(process.env).join()); setTimeout(() => process.exit(1), 2_000)",
);

const SECRETS = {
  CLOUDFLARE_API_TOKEN: "hidden-1",
  JWT_SECRET: "hidden-2",
  FEED_JWT_SECRET: "hidden-3",
  LOYALTY_EDGE_TOKEN: "hidden-4",
};

const start = () =>
  startProgram("node", ["scripts/run.mjs", "start"], {
    cwd: clone,
    env: { npm_execpath: path.join(clone, "npm.mjs"), ...SECRETS },
  });

describe("an install", () => {
  it("says that it failed, and ends with its npm when it is killed", async ({ expect }) => {
    const failingRun = start();
    expect(await failingRun.ended).toBe(1);
    const killedRun = start();
    await untilPrinted(killedRun, "Installing");
    killedRun.child.kill("SIGTERM");

    expect(await killedRun.ended).toBe(143);
    expect(failingRun.output()).toContain("The install failed; see npm's output above");
    // Packages run scripts while they are installed.
    expect(failingRun.output()).toContain(process.env.PATH);
    expect(failingRun.output()).not.toContain("hidden");
    expect(killedRun.output()).toContain("Stopped.");
    expect(isRunning(killedRun)).toBe(false);
  });
});

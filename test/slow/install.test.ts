import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { isRunning, ROOT, startProgram, untilPrinted } from "./command.ts";

// Runs the project's runner in a folder without packages. Its npm takes 2.6 seconds and then fails.

const clone = temporaryFolder();
mkdirSync(path.join(clone, "scripts"));
const runner = readFileSync(path.join(ROOT, "scripts", "run.mjs"), "utf8");
// This copy of run.mjs says every second that the install continues, and not every ten seconds.
const quickRunner = runner.replace("PROGRESS_EVERY_MS = 10_000;", "PROGRESS_EVERY_MS = 1_000;");
writeFileSync(path.join(clone, "scripts", "run.mjs"), quickRunner);
writeFileSync(path.join(clone, "npm.mjs"), "setTimeout(() => process.exit(1), 2_600)");

const start = () =>
  startProgram("node", ["scripts/run.mjs", "start"], {
    cwd: clone,
    env: { npm_execpath: path.join(clone, "npm.mjs") },
  });

describe("an install that takes long", () => {
  it("says every ten seconds that it continues, and ends with its npm when it is killed", async ({ expect }) => {
    const failingRun = start();
    expect(await failingRun.ended).toBe(1);
    const killedRun = start();
    await untilPrinted(killedRun, "Installing");
    killedRun.child.kill("SIGTERM");

    expect(await killedRun.ended).toBe(143);
    // A timer of one second may fire after two on a busy machine.
    expect(failingRun.output()).toMatch(
      /\nInstalling for [12] seconds …\n(.*\n)*The install failed; see npm's output above/,
    );
    expect(killedRun.output()).toContain("Stopped.");
    expect(isRunning(killedRun)).toBe(false);
  });
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { ROOT, startProgram, untilPrinted } from "./command.ts";

// A clone in which nothing is installed, with an npm that takes 2.6 seconds and then fails.

const clone = temporaryFolder();
mkdirSync(path.join(clone, "scripts"));
const runner = readFileSync(path.join(ROOT, "scripts", "run.mjs"), "utf8");
// In the clone, run.mjs says every second that the install continues. Otherwise it says so every ten seconds.
const quickRunner = runner.replace("PROGRESS_EVERY_MS = 10_000;", "PROGRESS_EVERY_MS = 1_000;");
writeFileSync(path.join(clone, "scripts", "run.mjs"), quickRunner);
writeFileSync(path.join(clone, "npm.mjs"), "setTimeout(() => process.exit(1), 2_600)");

const start = () =>
  startProgram("node", ["scripts/run.mjs", "start"], {
    cwd: clone,
    env: { npm_execpath: path.join(clone, "npm.mjs") },
  });

describe("an install that takes long", () => {
  it("says every ten seconds that it continues", async ({ expect }) => {
    const install = start();

    expect(await install.ended).toBe(1);
    // On a busy machine a timer may come late.
    expect(install.output().trim().split("\n")).toEqual([
      "Installing what package-lock.json names: half a minute to two …",
      expect.stringMatching(/^Installing for 1 seconds …$/),
      expect.stringMatching(/^Installing for [23] seconds …$/),
      "The install failed; see npm's output above.",
    ]);
  });

  it("ends with its npm when it is killed", async ({ expect }) => {
    const install = start();
    await untilPrinted(install, "Installing");

    install.child.kill("SIGTERM");

    expect(await install.ended).toBe(143);
    expect(install.output()).toContain("Stopped.");
    expect(() => process.kill(-Number(install.child.pid), 0)).toThrow("ESRCH");
  });
});

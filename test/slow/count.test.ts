import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { runTool } from "../../scripts/lib/project.ts";
import { ROOT } from "./command.ts";

// In the project, so that its vitest is found.
const folder = path.join(ROOT, "dist", "counted-tests");

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the tests of some files as the project runs its own, and answers the last line. */
async function lastLine(files: Record<string, string>): Promise<string | undefined> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, lines] of Object.entries(files))
    writeFileSync(path.join(folder, `${name}.test.ts`), `import { beforeAll, describe, it } from "vitest";\n${lines}`);
  const reporters = path.join(ROOT, "scripts", "lib", "count-reporter.ts");
  writeFileSync(
    path.join(folder, "vitest.config.ts"),
    `import { REPORTERS } from ${JSON.stringify(reporters)};\nexport default { test: { reporters: REPORTERS } };`,
  );
  const { output } = await runTool("vitest", ["run", "--root", folder], { capture: true });
  return output.trimEnd().split("\n").at(-1);
}

describe("the last line of a run of tests", () => {
  it("counts those that passed and those that failed", async ({ expect }) => {
    const good = `it("is good", () => {});`;
    const bad = `it("is bad", () => { throw new Error("bad"); });`;

    expect(await lastLine({ one: good + good, two: good })).toBe("3 passed, 0 failed");
    expect(await lastLine({ one: good + good, two: bad })).toBe("2 passed, 1 failed");
  });

  it("does not hide a file that cannot be loaded, a hook that throws, or a test that is left out", async ({
    expect,
  }) => {
    const good = `it("is good", () => {});`;
    const hook = `describe("some", () => { beforeAll(() => { throw new Error("bad"); }); it("waits", () => {}); });`;
    const unhandled = `it("is good", () => { void Promise.reject(new Error("bad")); });`;

    expect(await lastLine({ one: good, two: "import 'nowhere';" })).toBe("1 passed, 1 failed");
    expect(await lastLine({ one: good, two: hook })).toBe("1 passed, 1 failed, 1 skipped");
    expect(await lastLine({ one: good, two: unhandled })).toBe("2 passed, 1 failed");
    expect(await lastLine({ one: `${good} it.skip("is not", () => {});` })).toBe("1 passed, 0 failed, 1 skipped");
  });
});

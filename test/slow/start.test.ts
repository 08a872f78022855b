import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, it } from "vitest";
import { command, freePort, pressCtrlC, printed, type Running } from "./command.ts";

const READY = "Ctrl-C stops it";
const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-start-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines that a person would copy, run by a shell. */
function copyAndRun({ output }: Running): string[] {
  const lines = output().split("\n");
  const token = lines.find((line) => line.startsWith("TOKEN=")) ?? "";
  return lines
    .filter((line) => line.startsWith("curl "))
    .map((line) => execFileSync("sh", ["-c", `${token}\n${line}`], { encoding: "utf8" }));
}

describe("npm start", () => {
  it("answers its own lines of curl, twice the same, and ends cleanly on Ctrl-C", async ({ expect }) => {
    const port = await freePort();
    const args = ["--port", String(port), "--persist-to", folder];

    const first = command("start", args);
    await printed(first, READY);
    const answers = copyAndRun(first);
    pressCtrlC(first);

    expect(await first.ended).toBe(0);
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(JSON.parse(answer)).toMatchObject({ status: true });

    const second = command("start", args);
    await printed(second, READY);
    expect(copyAndRun(second)).toEqual(answers);
    expect(second.output()).not.toContain("Loading the demo program");

    const third = command("start", args);
    expect(await third.ended).toBe(1);
    expect(third.output().trim()).toBe(`Port ${port} is in use. Choose another: --port ${port + 1}`);

    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });
});

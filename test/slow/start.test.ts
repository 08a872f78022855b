import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, it } from "vitest";
import { command, freePort, pressCtrlC, printed, ROOT, type Running } from "./command.ts";

const READY = "Ctrl-C stops it";
const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-start-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines that a person would copy, run by a shell. */
function copyAndRun({ output }: Running): string[] {
  const lines = output().split("\n");
  const token = lines.find((line) => line.startsWith("TOKEN=")) ?? "";
  return lines
    .filter((line) => line.startsWith("curl ") && !line.includes("/feed"))
    .map((line) => execFileSync("sh", ["-c", `${token}\n${line}`], { encoding: "utf8" }));
}

/** Runs the line that listens, and the one that feeds a message once it says hello. Resolves with what is printed. */
async function listenAndFeed({ output }: Running): Promise<string[]> {
  const lines = output().split("\n");
  const line = (word: string) => lines.find((one) => one.includes(word)) ?? "";
  const shell = ["-c", `${line("TOKEN=")}\nexec env ${line("new WebSocket")}`];
  const listener = spawn("sh", shell, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const frames: string[] = [];
  for await (const frame of createInterface({ input: listener.stdout })) {
    frames.push(frame);
    if (frames.length === 2) listener.kill();
    else execFileSync("sh", ["-c", line("/api/v1/feed")], { cwd: ROOT });
  }
  return frames;
}

describe("npm start", () => {
  it("answers its own lines, twice the same, and ends cleanly on Ctrl-C", async ({ expect }) => {
    const port = await freePort();
    const args = ["--port", String(port), "--persist-to", folder];

    const first = command("start", args);
    await printed(first, READY);
    const answers = copyAndRun(first);
    const frames = await listenAndFeed(first);
    pressCtrlC(first);

    expect(await first.ended).toBe(0);
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(JSON.parse(answer)).toMatchObject({ status: true });
    expect(frames).toEqual(['{"type":"hello"}', '{"type":"changed","what":["messages"]}']);

    const second = command("start", args);
    await printed(second, READY);
    // The second is the list of messages, which has one more by now.
    expect(copyAndRun(second).toSpliced(1, 1)).toEqual(answers.toSpliced(1, 1));
    expect(second.output()).not.toContain("Loading the demo program");

    const third = command("start", args);
    expect(await third.ended).toBe(1);
    expect(third.output().trim()).toBe(`Port ${port} is in use. Choose another: --port ${port + 1}`);

    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });
});

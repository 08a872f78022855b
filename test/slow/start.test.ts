import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { freePort, pressCtrlC, ROOT, type Running, startCommand, startProgram, untilPrinted } from "./command.ts";
import { startService } from "./service.ts";

const READY = "Ctrl-C stops it";
const folder = temporaryFolder();

/** Runs the printed lines in a shell, as if a person had copied them. */
function copyAndRun({ output }: Running): string[] {
  const lines = output().split("\n");
  const token = lines.find((line) => line.startsWith("TOKEN=")) ?? "";
  return lines
    .filter((line) => line.startsWith("curl ") && !line.includes("/feed"))
    .map((line) => execFileSync("sh", ["-c", `${token}\n${line}`], { encoding: "utf8" }));
}

/** Runs the printed line that listens and, after one frame, the line that feeds a message. Resolves with two frames. */
async function listenAndFeed({ output }: Running): Promise<string[]> {
  const lines = output().split("\n");
  const lineWith = (text: string) => lines.find((line) => line.includes(text)) ?? "";
  const script = `${lineWith("TOKEN=")}\nexec env ${lineWith("new WebSocket")}`;
  const listener = spawn("sh", ["-c", script], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const frames: string[] = [];
  for await (const frame of createInterface({ input: listener.stdout })) {
    frames.push(frame);
    if (frames.length === 2) listener.kill();
    else execFileSync("sh", ["-c", lineWith("/api/v1/feed")], { cwd: ROOT });
  }
  return frames;
}

describe("npm start", () => {
  it("answers the lines that it prints, the same after a restart, and ends cleanly on Ctrl-C", async ({ expect }) => {
    const args = ["--persist-to", folder];

    const first = await startService(args);
    const answers = copyAndRun(first);
    const frames = await listenAndFeed(first);
    pressCtrlC(first);

    expect(await first.ended).toBe(0);
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(JSON.parse(answer)).toMatchObject({ status: true });
    expect(frames).toEqual(['{"type":"hello"}', '{"type":"changed","what":["messages"]}']);

    const second = await startService(args, first);
    // listenAndFeed() has fed a message.
    const withoutMessages = (texts: string[]) => texts.filter((text) => !text.includes("last_message"));
    expect(withoutMessages(copyAndRun(second))).toEqual(withoutMessages(answers));
    expect(second.output()).not.toContain("Loading the demo program");

    const { port } = second;
    const samePort = startCommand("start", ["--port", String(port), "--persist-to", temporaryFolder()]);
    expect(await samePort.ended).toBe(1);
    expect(samePort.output().trim()).toBe(`Port ${port} is in use. Choose another: --port ${port + 1}`);

    const sameFolder = startCommand("start", ["--port", String(await freePort()), "--persist-to", folder]);
    expect(await sameFolder.ended).toBe(1);
    expect(sameFolder.output().trim()).toBe(
      `The data in ${folder} is in use by the service at http://127.0.0.1:${port}. Use that one, or another folder: --persist-to DIR`,
    );

    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });
});

describe("npm start -- --no-demo", () => {
  it("prints lines that feed and find a customer in an empty database, and nothing of the demo", async ({ expect }) => {
    const started = await startService(["--persist-to", temporaryFolder(), "--no-demo"]);
    await untilPrinted(started, '"filter":"customers"');
    const lines = started
      .output()
      .split("\n")
      .filter((line) => /^(TOKEN=|curl )/.test(line));
    const answers = execFileSync("sh", ["-c", lines.join("\necho\n")], { cwd: ROOT, encoding: "utf8" }).split("\n");
    started.child.kill("SIGTERM");

    expect(answers.filter((line) => line !== "").map((line) => JSON.parse(line))).toEqual([
      { status: true, items: { accepted: 1, ignored: 0 } },
      expect.objectContaining({ customers: [expect.objectContaining({ id: "ada" })] }),
    ]);
    expect(started.output()).not.toMatch(/\bc1\b|s101|g1\b/);
    expect(await started.ended).toBe(0);
  });
});

/** The processes of a group: their ids and what they run. */
function processesOf({ child }: Running): { pid: number; command: string }[] {
  return execFileSync("ps", ["-eo", "pgid=,pid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, group, , state]) => Number(group) === child.pid && !state?.startsWith("Z"))
    .map(([, , pid, , text = ""]) => ({ pid: Number(pid), command: text }));
}

describe("npm start that is killed", () => {
  it.for([
    { signal: "SIGTERM", receiver: "npm", after: "Migrating" },
    { signal: "SIGKILL", receiver: "node scripts/run.mjs", after: READY },
  ])("ends with all of its processes by $signal of $receiver, and frees its port", async (kill, { expect }) => {
    const port = await freePort();
    const started = startProgram("npm", ["start", "--", "--port", String(port), "--persist-to", folder, "--no-demo"]);
    onTestFinished(() => {
      for (const { pid } of processesOf(started)) process.kill(pid, "SIGKILL");
    });
    await untilPrinted(started, kill.after);

    const { pid = 0 } = processesOf(started).find(({ command }) => command.startsWith(`${kill.receiver} `)) ?? {};
    process.kill(pid, kill.signal);

    await expect.poll(() => processesOf(started)).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });
});

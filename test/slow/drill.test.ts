import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { cloneCheckout, removeFolder } from "./clone.ts";
import { freePort, printed, ROOT, type Running, running } from "./command.ts";

// The commands of the drill as its page has them: only the ports and the folder are others, so that nobody else's are used.

const READY = "Ctrl-C stops it";
const services: Running[] = [];
let clone = "";

beforeAll(() => {
  clone = cloneCheckout();
});
afterAll(async () => {
  for (const { child } of services) child.kill("SIGTERM");
  await Promise.all(services.map(({ ended }) => ended));
  removeFolder(clone);
});

function linesOfPage(): string[] {
  const page = readFileSync(path.join(ROOT, "docs", "operating.md"), "utf8");
  const [, drill = ""] = page.split("### The drill");
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(drill) ?? [];
  return block
    .split("\n")
    .map((line) => line.replace(/\s#.*/, "").trim())
    .filter((line) => line !== "");
}

const shell = (line: string) => running("sh", ["-c", `exec ${line}`], { cwd: clone, env: { INIT_CWD: "" } });

async function serve(line: string): Promise<void> {
  const service = shell(line);
  services.push(service);
  await printed(service, READY);
}

describe("the drill of docs/operating.md", () => {
  it("restores the demo program, and verifies the restored database", { timeout: 600_000 }, async ({ expect }) => {
    const drill = path.join(clone, "drill");
    const [port, other] = [await freePort(), await freePort()];
    const lines = linesOfPage().map((line) =>
      line.replace("8787", String(port)).replace("8788", String(other)).replace("/tmp/drill", drill),
    );
    await serve(`npm start -- --port ${port} --persist-to ${path.join(clone, "source")}`);

    const outputs = [];
    for (const line of lines) {
      if (line.startsWith("npm start")) await serve(line);
      else {
        const run = shell(line);
        expect(await run.ended, `${line}\n${run.output()}`).toBe(0);
        outputs.push(run.output());
      }
    }

    expect(lines.length).toBe(6);
    expect(outputs[2]).toContain("All derived data agrees with the records.");
    expect(readFileSync(path.join(clone, "again.ndjson"), "utf8").split("\n").length).toBeGreaterThan(1_000);
    // What no command was told to use.
    expect(existsSync(path.join(clone, ".wrangler", "state"))).toBe(false);
  });
});

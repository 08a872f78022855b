import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { ROOT, startProgram } from "./command.ts";
import { blocksIn, readDoc } from "./docs.ts";
import { type Reply, scriptedService } from "./http-server.ts";
import { isInstalled } from "./languages.ts";

// The loops of docs/backends.md, as a backend would run them.

const [typescript = ""] = blocksIn(readDoc("backends.md"), "ts");
const python = readFileSync(path.join(ROOT, "examples", "backend", "follow.py"), "utf8");

const LOOPS = [
  { name: "TypeScript", command: "node", file: "follow.ts", code: typescript },
  { name: "Python", command: "python3", file: "follow.py", code: python },
];

// JSON leaves these as they are, and only a line feed ends a line.
const changeOf = (version: number) => `{"version":${version},"line":{"description":"one\u2028two\u2029three\u0085"}}`;
const changes = (versions: readonly number[], next: string): Reply => ({
  headers: { "Content-Type": "application/x-ndjson", Link: `<https://a.example/?after=${next}>; rel="next"` },
  body: versions.map((version) => `${changeOf(version)}\n`).join(""),
});

const START_AGAIN: Reply = { status: 410, body: { errorCode: "START_AGAIN" } };

describe("the loop of docs/backends.md", () => {
  it.for(LOOPS)("has each change once over outages and restarts, and ends at 410: $name", async (loop, { expect }) => {
    if (!isInstalled(loop.command)) throw new Error(`Install ${loop.command}.`);
    const cwd = mkdtempSync(path.join(temporaryFolder(), "backend-"));
    writeFileSync(path.join(cwd, loop.file), loop.code);
    const away: Reply = { status: 503, headers: { "Retry-After": "1" }, body: { message: "Away." } };
    const first = await scriptedService(changes([4, 5], "a"), away, changes([9], "b"), changes([], "c"), START_AGAIN);
    const second = await scriptedService({ hangsUp: true }, changes([12], "d"), START_AGAIN);

    const outputs: string[] = [];
    for (const { url } of [first, second]) {
      const env = { URL: url, LOYALTY_EDGE_TOKEN: "t", NODE_NO_WARNINGS: "1" };
      const run = startProgram(loop.command, [loop.file], { cwd, env });
      expect(await run.ended).toBe(1);
      outputs.push(run.output());
    }

    const database = new DatabaseSync(path.join(cwd, "record.sqlite"));
    const rows = database.prepare("SELECT version, change FROM changes ORDER BY version").all();
    database.close();
    expect(rows.map(({ version }) => version)).toEqual([4, 5, 9, 12]);
    expect(rows[0]?.change).toBe(changeOf(4));
    for (const output of outputs) expect(output).toContain("Take an export");
    const asked = [...first.requests, ...second.requests].map(({ url }) => url.searchParams.get("after"));
    expect(asked).toEqual([...["first", "a", "a", "b", "c"], ...["c", "c", "d"]]);
    expect(first.requests[0]?.token).toBe("Bearer t");
  });
});

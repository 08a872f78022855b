import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, describe, it } from "vitest";
import { removeFolder } from "./clone.ts";
import { command, pressCtrlC } from "./command.ts";
import { inProcess } from "./in-process.ts";

// The command against a service that answers as a test tells it to.

interface Page {
  /** Whether another page follows; otherwise one follows as long as there is one. */
  more?: boolean;
  lines?: readonly object[];
  version?: number | null;
  status?: number;
  hangUp?: boolean;
  waitMs?: number;
}

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-export-"));
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => removeFolder(folder));

/** An export reads the segments first and last, to notice whether events leave meanwhile. */
const NO_SEGMENTS: Page = { more: false };

const store = (id: string) => ({ record: "store", id });

/** A service that answers with the pages in turn. */
async function service(...pages: Page[]) {
  const asked: URL[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "https://its-own-name.example");
    const page = pages.shift() ?? {};
    asked.push(url);
    await sleep(page.waitMs ?? 0);
    if (page.hangUp) return request.socket.destroy();
    const headers = {
      ...(page.version !== null && { "X-Feed-Version": String(page.version ?? 7) }),
      ...((page.more ?? pages.length > 0) && {
        Link: `<${url.origin}${url.pathname}?after=${asked.length}>; rel="next"`,
      }),
    };
    response.writeHead(page.status ?? 200, (page.status ?? 200) === 200 ? headers : { "Retry-After": "0" });
    response.end(page.status ? "{}" : (page.lines ?? []).map((line) => `${JSON.stringify(line)}\n`).join(""));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return { args: ["--url", `http://127.0.0.1:${port}`, "--token", "t"], asked };
}

const run = (...args: string[]) => inProcess("export", args);

const place = (name: string) => path.join(folder, name);
const left = () => readdirSync(folder).filter((name) => !name.endsWith(".ndjson") && !name.endsWith(".gz"));

describe("npm run export", () => {
  it("writes the pages with an empty line after each, and leaves out empty ones", async ({ expect }) => {
    const { args, asked } = await service({ lines: [store("a"), store("b")] }, {}, { lines: [store("c")] });

    const { status, output } = await run(place("pages.ndjson"), ...args);

    expect(status, output).toBe(0);
    expect(output).toContain("3 lines (0 MB)");
    expect(output).toContain("A snapshot after 7 feed requests.");
    const text = readFileSync(place("pages.ndjson"), "utf8");
    expect(text).toBe('{"record":"store","id":"a"}\n{"record":"store","id":"b"}\n\n{"record":"store","id":"c"}\n\n');
    expect(asked.map(({ search }) => search)).toEqual(["", "?after=1", "?after=2"]);
  });

  it("compresses where the name says so, and writes to standard output for -", async ({ expect }) => {
    const zipped = await service({ lines: [store("a")] });
    const piped = await service({ lines: [store("a")] });

    const file = await run(place("zipped.ndjson.gz"), ...zipped.args, "--only", "store,customer");
    const pipe = command("export", ["-", ...piped.args]);

    expect([file.status, await pipe.ended]).toEqual([0, 0]);
    expect(gunzipSync(readFileSync(place("zipped.ndjson.gz"))).toString()).toBe('{"record":"store","id":"a"}\n\n');
    expect(pipe.output()).toContain('{"record":"store","id":"a"}\n\n');
    expect(zipped.asked[0]?.searchParams.get("record")).toBe("store,customer");
  });

  it("asks for a page again that it could not have", async ({ expect }) => {
    const { args } = await service(
      { lines: [store("a")] },
      { status: 503 },
      { hangUp: true, more: true },
      { lines: [store("b")] },
    );

    const { status, output } = await run(place("again.ndjson"), ...args);

    expect(status, output).toBe(0);
    expect(readFileSync(place("again.ndjson"), "utf8").split("\n\n")).toHaveLength(3);
  });

  it("begins again when something was fed meanwhile", async ({ expect }) => {
    const { args } = await service(
      { lines: [store("old")] },
      { lines: [store("b")], version: 8 },
      { lines: [store("new")], version: 8 },
      { lines: [store("b")], version: 8 },
    );

    const { status, output } = await run(place("fed.ndjson"), ...args);

    expect(status, output).toBe(0);
    expect(output).toContain("the export begins again");
    expect(readFileSync(place("fed.ndjson"), "utf8")).not.toContain("old");
  });

  it.for<[what: string, pages: Page[], words: string]>([
    ["what is no export", [{ lines: [{ a: "page" }], version: null }], "This is no export: "],
    ["a refusal", [{ lines: [store("a")] }, { status: 403 }], "The service answered 403"],
    [
      "something fed during each of four",
      Array.from({ length: 8 }, (_, version) => ({ lines: [store("a")], version, more: true })),
      "Something was fed, or left for history, during each of 4 exports: no file was written.",
    ],
  ])("leaves no file, and no half of one, after %s", async ([what, pages, words], { expect }) => {
    const { args } = await service(...pages);

    const { status, output } = await run(place(`${what}.ndjson`), ...args);

    expect(status).toBe(1);
    expect(output).toContain(words);
    expect(existsSync(place(`${what}.ndjson`))).toBe(false);
    expect(left()).toEqual([]);
  });

  it("leaves no half of a file behind when it is stopped", async ({ expect }) => {
    const { args, asked } = await service({ lines: [store("a")] }, { waitMs: 20_000, more: true });
    const running = command("export", [place("stopped.ndjson.gz"), ...args]);
    await expect.poll(() => asked.length).toBe(2);

    pressCtrlC(running);

    expect(await running.ended).toBe(130);
    expect(running.output()).toContain("Stopped.");
    expect(existsSync(place("stopped.ndjson.gz"))).toBe(false);
    expect(left()).toEqual([]);
  });

  it("reads kinds backwards and writes them forwards while something is fed", async ({ expect }) => {
    const member = (id: string, referrer: string | null) => ({
      ...{ record: "membership", store_id: "s", customer_id: id, referrer_id: referrer },
    });
    const state = (id: string) => ({ record: "message_state", group_id: "g", customer_id: id });
    const message = (group_id: string) => ({ record: "message", id: `in ${group_id}`, group_id });
    const { args, asked } = await service(
      NO_SEGMENTS,
      { lines: [message("g"), message("removed")], version: 1, more: false },
      { lines: [{ record: "message_group", id: "g", member_ids: ["c1", "c2"] }], version: 1, more: false },
      { lines: [member("c1", null), member("c2", "c1"), member("c3", "late")], version: 2 },
      { lines: [{ record: "membership", store_id: "s", customer_id: "c2", deleted: true }], version: 3, more: false },
      { lines: [state("c1"), state("late")], version: 4, more: false },
      NO_SEGMENTS,
    );

    const kinds = "membership,message_group,message_state,message";
    const { status, output } = await run(place("live.ndjson"), ...args, "--while-feeding", "--only", kinds);

    expect(status, output).toBe(0);
    expect(output).toContain(
      "No snapshot: 3 feed requests were committed meanwhile. 3 lines that came too late were left out.",
    );
    const records = asked.map(({ searchParams }) => searchParams.get("record"));
    expect(records).toEqual([
      ...["history_segment", "message", "message_group", "membership", null, "message_state", "history_segment"],
    ]);
    const pages = readFileSync(place("live.ndjson"), "utf8").trimEnd().split("\n\n");
    const lines = pages.map((page) => page.split("\n").map((line) => JSON.parse(line)));
    expect(lines.map((page) => [page[0].record, page[0].deleted ?? false, page.length])).toEqual([
      ["membership", false, 2],
      ["message_group", false, 1],
      ["message_state", false, 1],
      ["message", false, 1],
      ["membership", true, 1],
    ]);
    expect(left()).toEqual([]);
  });

  it.for([
    ["with the groups", ["message_group"], 0, " 2 lines that came too late were left out."],
    ["without the groups, of which nobody knows then whether they were removed", [], 2, ""],
  ] as const)("writes what belongs to groups that were removed meanwhile, or not: %s", async (given, { expect }) => {
    const [, groups, written, left] = given;
    const lines = (record: string, version: number) => ({
      ...{ lines: [{ record, id: "1", group_id: "removed", customer_id: "c1" }], version, more: false },
    });
    const { args } = await service(
      NO_SEGMENTS,
      lines("message", 1),
      ...groups.map(() => ({ version: 2, more: false })),
      lines("message_state", 3),
      NO_SEGMENTS,
    );

    const kinds = [...groups, "message_state", "message"].join(",");
    const { status, output } = await run(place("removed.ndjson"), ...args, "--while-feeding", "--only", kinds);

    expect(status, output).toBe(0);
    expect(output).toContain(`No snapshot: 2 feed requests were committed meanwhile.${left}\n`);
    expect(readFileSync(place("removed.ndjson"), "utf8").match(/"record"/g) ?? []).toHaveLength(written);
  });

  it("begins again when events left for history while something was fed", async ({ expect }) => {
    const segments = (...names: string[]) => ({
      lines: names.map((name) => ({ record: "history_segment", name })),
      more: false,
    });
    const entry = { lines: [{ record: "balance_entry", id: "b" }], more: false };
    const summary = { lines: [{ record: "balance_entry", sealed: true }], more: false };
    const { args, asked } = await service(
      ...[segments("a"), entry, segments("a", "b")],
      ...[segments("a", "b"), summary, segments("a", "b")],
    );

    const { status, output } = await run(place("left.ndjson"), ...args, "--while-feeding", "--only", "balance_entry");

    expect(status, output).toBe(0);
    expect(output).toContain("meanwhile: the export begins again.");
    expect(asked).toHaveLength(6);
    expect(readFileSync(place("left.ndjson"), "utf8")).toBe('{"record":"balance_entry","sealed":true}\n\n');
  });

  it("finds messages that moved to a part that had been read, and writes them before the last ones", async ({
    expect,
  }) => {
    const messages = (...ids: string[]) => ids.map((id) => ({ record: "message", id, group_id: "g" }));
    const { args, asked } = await service(
      NO_SEGMENTS,
      { lines: messages("old"), version: 1 },
      { lines: messages("newest"), version: 2, more: false },
      { lines: messages("old"), version: 3 },
      { lines: messages("newest"), version: 4, more: false },
      { lines: messages("moved", "old"), version: 5 },
      { lines: messages("newest"), version: 5, more: false },
      NO_SEGMENTS,
    );

    const { status, output } = await run(place("moved.ndjson"), ...args, "--while-feeding", "--only", "message");

    expect(status, output).toBe(0);
    expect(asked).toHaveLength(8);
    const pages = readFileSync(place("moved.ndjson"), "utf8").trimEnd().split("\n\n");
    const ids = pages.flatMap((page) => page.split("\n").map((line) => JSON.parse(line).id));
    expect(ids).toEqual(["moved", "old", "newest"]);
  });
});

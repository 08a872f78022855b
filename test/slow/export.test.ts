import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { pressCtrlC, startCommand } from "./command.ts";
import { type Reply, scriptedService } from "./http-server.ts";
import { inProcess } from "./in-process.ts";

interface Page extends Reply {
  /** Whether the page links to a next page. By default, each page except the last does. */
  hasNext?: boolean;
  lines?: readonly object[];
  version?: number | null;
}

const folder = temporaryFolder();

/** An export reads the list of segments at its start and at its end, to notice whether events leave meanwhile. */
const NO_SEGMENTS: Page = { hasNext: false };

const store = (id: string) => ({ record: "store", id });

/** A service that answers with the pages in turn. */
function service(...pages: Page[]) {
  const replies = pages.map(({ hasNext, lines = [], version = 7, ...reply }, index) => ({
    headers: {
      ...(version !== null && { "X-Feed-Version": String(version) }),
      ...((hasNext ?? index < pages.length - 1) && {
        Link: `<https://its-own-name.example/api/v1/feed?after=${index + 1}>; rel="next"`,
      }),
    },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    ...reply,
  }));
  return scriptedService(...replies);
}

const run = (...args: string[]) => inProcess("export", args);

const fileNamed = (name: string) => path.join(folder, name);
/** Files in the folder that are no whole export. */
const leftovers = () => readdirSync(folder).filter((name) => !/\.(ndjson|gz)$/.test(name));

describe("npm run export", () => {
  it("writes an empty line after each page, and leaves out empty pages", async ({ expect }) => {
    const { args, requests } = await service({ lines: [store("a"), store("b")] }, {}, { lines: [store("c")] });

    const { status, output } = await run(fileNamed("pages.ndjson"), ...args);

    expect(status, output).toBe(0);
    expect(output).toContain("3 lines (0 MB)");
    expect(output).toContain("A snapshot after 7 feed requests.");
    const text = readFileSync(fileNamed("pages.ndjson"), "utf8");
    expect(text).toBe('{"record":"store","id":"a"}\n{"record":"store","id":"b"}\n\n{"record":"store","id":"c"}\n\n');
    expect(requests.map(({ url }) => url.search)).toEqual(["", "?after=1", "?after=2"]);
  });

  it("compresses a file named .gz, and writes to standard output for -", async ({ expect }) => {
    const zipped = await service({ lines: [store("a")] });
    const piped = await service({ lines: [store("a")] });

    const file = await run(fileNamed("zipped.ndjson.gz"), ...zipped.args, "--only", "store,customer");
    const pipe = startCommand("export", ["-", ...piped.args]);

    expect([file.status, await pipe.ended]).toEqual([0, 0]);
    expect(gunzipSync(readFileSync(fileNamed("zipped.ndjson.gz"))).toString()).toBe('{"record":"store","id":"a"}\n\n');
    expect(pipe.output()).toContain('{"record":"store","id":"a"}\n\n');
    expect(zipped.requests[0]?.url.searchParams.get("record")).toBe("store,customer");
  });

  it("asks again for a page that failed", async ({ expect }) => {
    const { args } = await service(
      { lines: [store("a")] },
      { status: 503, headers: { "Retry-After": "0" } },
      { hangsUp: true, hasNext: true },
      { lines: [store("b")] },
    );

    const { status, output } = await run(fileNamed("again.ndjson"), ...args);

    expect(status, output).toBe(0);
    expect(readFileSync(fileNamed("again.ndjson"), "utf8").split("\n\n")).toHaveLength(3);
  });

  it("starts again if something was fed meanwhile", async ({ expect }) => {
    const { args } = await service(
      { lines: [store("old")] },
      { lines: [store("b")], version: 8 },
      { lines: [store("new")], version: 8 },
      { lines: [store("b")], version: 8 },
    );

    const { status, output } = await run(fileNamed("fed.ndjson"), ...args);

    expect(status, output).toBe(0);
    expect(output).toContain("the export begins again");
    expect(readFileSync(fileNamed("fed.ndjson"), "utf8")).not.toContain("old");
  });

  it.for<[what: string, pages: Page[], words: string]>([
    ["an answer that is no export", [{ lines: [{ a: "page" }], version: null }], "This is no export: "],
    ["a refusal", [{ lines: [store("a")] }, { status: 403 }], "The service answered 403"],
    [
      "a feed during each of four exports",
      Array.from({ length: 8 }, (_, version) => ({ lines: [store("a")], version, hasNext: true })),
      "Something was fed, or left for history, during each of 4 exports: no file was written.",
    ],
  ])("leaves neither a file nor a part of it after %s", async ([what, pages, words], { expect }) => {
    const { args } = await service(...pages);

    const { status, output } = await run(fileNamed(`${what}.ndjson`), ...args);

    expect(status).toBe(1);
    expect(output).toContain(words);
    expect(existsSync(fileNamed(`${what}.ndjson`))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  it("leaves no part of a file when it is stopped", async ({ expect }) => {
    const { args, requests } = await service({ lines: [store("a")] }, { after: new Promise(() => {}), hasNext: true });
    const exporting = startCommand("export", [fileNamed("stopped.ndjson.gz"), ...args]);
    await expect.poll(() => requests.length).toBe(2);

    pressCtrlC(exporting);

    expect(await exporting.ended).toBe(130);
    expect(exporting.output()).toContain("Stopped.");
    expect(existsSync(fileNamed("stopped.ndjson.gz"))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  it("reads kinds backwards and writes them forwards while something is fed", async ({ expect }) => {
    const member = (id: string, referrer: string | null) => ({
      ...{ record: "membership", store_id: "s", customer_id: id, referrer_id: referrer },
    });
    const state = (id: string) => ({ record: "message_state", group_id: "g", customer_id: id });
    const message = (group_id: string) => ({ record: "message", id: `in ${group_id}`, group_id });
    const { args, requests } = await service(
      NO_SEGMENTS,
      { lines: [message("g"), message("removed")], version: 1, hasNext: false },
      { lines: [{ record: "message_group", id: "g", member_ids: ["c1", "c2"] }], version: 1, hasNext: false },
      { lines: [member("c1", null), member("c2", "c1"), member("c3", "late")], version: 2 },
      {
        lines: [{ record: "membership", store_id: "s", customer_id: "c2", deleted: true }],
        version: 3,
        hasNext: false,
      },
      { lines: [state("c1"), state("late")], version: 4, hasNext: false },
      NO_SEGMENTS,
    );

    const kinds = "membership,message_group,message_state,message";
    const { status, output } = await run(fileNamed("live.ndjson"), ...args, "--while-feeding", "--only", kinds);

    expect(status, output).toBe(0);
    expect(output).toContain(
      "No snapshot: 3 feed requests were committed meanwhile. 3 lines that came too late were left out.",
    );
    const records = requests.map(({ url }) => url.searchParams.get("record"));
    expect(records).toEqual([
      ...["history_segment", "message", "message_group", "membership", null, "message_state", "history_segment"],
    ]);
    const pages = readFileSync(fileNamed("live.ndjson"), "utf8").trimEnd().split("\n\n");
    const lines = pages.map((page) => page.split("\n").map((line) => JSON.parse(line)));
    expect(lines.map((page) => [page[0].record, page[0].deleted ?? false, page.length])).toEqual([
      ["membership", false, 2],
      ["message_group", false, 1],
      ["message_state", false, 1],
      ["message", false, 1],
      ["membership", true, 1],
    ]);
    expect(leftovers()).toEqual([]);
  });

  it.for([
    { does: "leaves out", groups: ["message_group"], written: 0, says: " 2 lines that came too late were left out." },
    { does: "writes, if it does not read the groups,", groups: [], written: 2, says: "" },
  ])("$does records of groups that were removed meanwhile", async ({ groups, written, says }, { expect }) => {
    const lines = (record: string, version: number) => ({
      ...{ lines: [{ record, id: "1", group_id: "removed", customer_id: "c1" }], version, hasNext: false },
    });
    const { args } = await service(
      NO_SEGMENTS,
      lines("message", 1),
      ...groups.map(() => ({ version: 2, hasNext: false })),
      lines("message_state", 3),
      NO_SEGMENTS,
    );

    const kinds = [...groups, "message_state", "message"].join(",");
    const { status, output } = await run(fileNamed("removed.ndjson"), ...args, "--while-feeding", "--only", kinds);

    expect(status, output).toBe(0);
    expect(output).toContain(`No snapshot: 2 feed requests were committed meanwhile.${says}\n`);
    expect(readFileSync(fileNamed("removed.ndjson"), "utf8").match(/"record"/g) ?? []).toHaveLength(written);
  });

  it("starts again if events left for history while something was fed", async ({ expect }) => {
    const segments = (...names: string[]) => ({
      lines: names.map((name) => ({ record: "history_segment", name })),
      hasNext: false,
    });
    const entry = { lines: [{ record: "balance_entry", id: "b" }], hasNext: false };
    const summary = { lines: [{ record: "balance_entry", sealed: true }], hasNext: false };
    const { args, requests } = await service(
      ...[segments("a"), entry, segments("a", "b")],
      ...[segments("a", "b"), summary, segments("a", "b")],
    );

    const options = ["--while-feeding", "--only", "balance_entry"];
    const { status, output } = await run(fileNamed("left.ndjson"), ...args, ...options);

    expect(status, output).toBe(0);
    expect(output).toContain("meanwhile: the export begins again.");
    expect(requests).toHaveLength(6);
    expect(readFileSync(fileNamed("left.ndjson"), "utf8")).toBe('{"record":"balance_entry","sealed":true}\n\n');
  });

  it("finds messages that moved to a part that was already read", async ({ expect }) => {
    const messages = (...ids: string[]) => ids.map((id) => ({ record: "message", id, group_id: "g" }));
    const { args, requests } = await service(
      NO_SEGMENTS,
      { lines: messages("old"), version: 1 },
      { lines: messages("newest"), version: 2, hasNext: false },
      { lines: messages("old"), version: 3 },
      { lines: messages("newest"), version: 4, hasNext: false },
      { lines: messages("moved", "old"), version: 5 },
      { lines: messages("newest"), version: 5, hasNext: false },
      NO_SEGMENTS,
    );

    const { status, output } = await run(fileNamed("moved.ndjson"), ...args, "--while-feeding", "--only", "message");

    expect(status, output).toBe(0);
    expect(requests).toHaveLength(8);
    const text = readFileSync(fileNamed("moved.ndjson"), "utf8");
    const ids = [...text.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(["moved", "old", "newest"]);
  });
});

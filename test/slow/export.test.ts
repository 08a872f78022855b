import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
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
const file = path.join(folder, "program.ndjson");

function service(...pages: readonly Page[]) {
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

/** The lines of each page in an exported text. An empty line ends each page. */
function pagesIn(text: string): object[][] {
  const pages = text.split("\n\n").slice(0, -1);
  return pages.map((page) => page.split("\n").map((line) => JSON.parse(line)));
}

const store = (id: string) => ({ record: "store", id });
const [A, B, C] = [store("a"), store("b"), store("c")];

/** An answer with all records of a kind. Without --snapshot, an export asks for one kind after the other. */
const all = (lines: readonly object[], version = 1): Page => ({ lines, version, hasNext: false });
/** The answer to a page after which old events were added up. */
const ADDED_UP: Page = { status: 422, hasNext: false };

const group = { record: "message_group", id: "g", member_ids: ["c1", "c2"] };
/** Only a line feed ends a line. JSON leaves the other separators of lines as they are. */
const message = (id: string, group_id = "g") => ({
  record: "message",
  id,
  group_id,
  body: "one\u2028two\u2029three\u0085",
});
const [OLD, NEWEST, MOVED] = [message("old"), message("newest"), message("moved")];
const messageOfRemovedGroup = message("1", "removed");
const state = (customer_id: string, group_id = "g") => ({ record: "message_state", group_id, customer_id });
const member = (customer_id: string, referrer_id: string | null) => ({
  record: "membership",
  customer_id,
  referrer_id,
});
const FIRST_MEMBERS = [member("c1", null), member("c2", "c1")];
const DELETION = { record: "membership", customer_id: "c2", deleted: true };
const ENTRY = { record: "balance_entry", id: "b" };
const SUMMARY = { record: "balance_entry", sealed: true };

interface Trial {
  does: string;
  pages: Page[];
  /** The kinds of an export while something is fed. Without kinds, the export is a snapshot of everything. */
  only?: string;
  /** The lines of each page in the file. */
  writes: object[][];
  says: string;
}

describe("npm run export", () => {
  it.for<Trial>([
    {
      does: "writes an empty line after each page, and leaves out empty pages",
      pages: [{ lines: [A, B] }, {}, { lines: [C] }],
      writes: [[A, B], [C]],
      says: "A snapshot of version 7.",
    },
    {
      does: "asks again for a page that failed",
      pages: [
        { lines: [A] },
        { status: 503, headers: { "Retry-After": "0" } },
        { hangsUp: true, hasNext: true },
        { lines: [B] },
      ],
      writes: [[A], [B]],
      says: "2 lines (0 MB)",
    },
    {
      does: "starts again if something was fed meanwhile",
      pages: [{ lines: [A] }, ...[[B], [C], [B]].map((lines) => ({ lines, version: 8 }))],
      writes: [[C], [B]],
      says: "the export begins again",
    },
    {
      does: "starts again if old events were added up while something was fed",
      only: "balance_entry",
      pages: [{ lines: [ENTRY] }, ADDED_UP, all([SUMMARY])],
      writes: [[SUMMARY]],
      says: "meanwhile: the export begins again.",
    },
    {
      does: "reads kinds backwards and writes them forwards while something is fed",
      only: "membership,message_group,message_state,message",
      pages: [
        all([OLD, messageOfRemovedGroup]),
        all([group]),
        { lines: [...FIRST_MEMBERS, member("c3", "late")], version: 2 },
        all([DELETION], 3),
        all([state("c1"), state("late")], 4),
      ],
      writes: [FIRST_MEMBERS, [group], [state("c1")], [OLD], [DELETION]],
      says: "No snapshot, but it can be restored: 3 requests were committed meanwhile.\n",
    },
    {
      does: "leaves out records of groups that were removed meanwhile",
      only: "message_group,message_state,message",
      pages: [all([messageOfRemovedGroup]), all([], 2), all([state("c1", "removed")], 3)],
      writes: [],
      says: "2 requests were committed meanwhile.\n",
    },
    {
      does: "writes records of removed groups if it does not read the groups",
      only: "message_state,message",
      pages: [all([messageOfRemovedGroup]), all([state("c1", "removed")], 3)],
      writes: [[state("c1", "removed")], [messageOfRemovedGroup]],
      says: "No snapshot, but it can be restored: 2 requests were committed meanwhile.\n",
    },
    {
      does: "finds messages that moved to a part that was already read",
      only: "message",
      pages: [
        ...[{ lines: [OLD], version: 1 }, all([NEWEST], 2)],
        ...[{ lines: [OLD], version: 3 }, all([NEWEST], 4)],
        ...[{ lines: [MOVED, OLD], version: 5 }, all([NEWEST], 5)],
      ],
      writes: [[MOVED], [OLD], [NEWEST]],
      says: "4 requests",
    },
  ])("$does", async ({ pages, only, writes, says }, { expect }) => {
    const { args, requests } = await service(...pages);

    const kinds = only === undefined ? ["--snapshot"] : ["--only", only];
    const { status, output } = await inProcess("export", [file, ...args, ...kinds]);

    expect(status, output).toBe(0);
    expect(output).toContain(says);
    expect(pagesIn(readFileSync(file, "utf8"))).toEqual(writes);
    expect(requests).toHaveLength(pages.length);
    expect(readdirSync(folder)).toEqual(["program.ndjson"]);
  });

  it("asks for the next page at its own address, and while something is fed for one kind after the other", async ({
    expect,
  }) => {
    const snapshot = await service({}, {});
    const whileFeeding = await service(all([]), all([]));

    await inProcess("export", [file, ...snapshot.args, "--only", "store,customer", "--snapshot"]);
    await inProcess("export", [file, ...whileFeeding.args, "--only", "store,customer"]);

    const searches = [...snapshot.requests, ...whileFeeding.requests].map(({ url }) => url.search);
    expect(searches.map(decodeURIComponent)).toEqual([
      ...["?record=store,customer", "?after=1"],
      ...["?record=customer", "?record=store"],
    ]);
  });

  it("compresses a file named .gz, and writes to standard output for -", async ({ expect }) => {
    const zippedFile = path.join(temporaryFolder(), "zipped.ndjson.gz");
    const [zipped, piped] = [await service({ lines: [A] }), await service({ lines: [A] })];

    const { status } = await inProcess("export", [zippedFile, ...zipped.args, "--only", "store"]);
    const pipe = startCommand("export", ["-", ...piped.args, "--only", "store"]);

    expect([status, await pipe.ended]).toEqual([0, 0]);
    expect(gunzipSync(readFileSync(zippedFile)).toString()).toBe('{"record":"store","id":"a"}\n\n');
    expect(pipe.output()).toContain('{"record":"store","id":"a"}\n\n');
  });

  it.for<[what: string, pages: Page[], words: string]>([
    ["an answer that is no export", [{ lines: [{ a: "page" }], version: null }], "This is no export: "],
    ["a refusal", [{ lines: [A] }, { status: 403 }], "The service answered 403"],
    [
      "a feed during each of four exports",
      Array.from({ length: 8 }, (_, version) => ({ lines: [A], version, hasNext: true })),
      "Something was fed or added up during each of 4 exports: no file was written.",
    ],
  ])("leaves neither a file nor a part of it after %s", async ([, pages, words], { expect }) => {
    const emptyFolder = temporaryFolder();
    const { args } = await service(...pages);

    const { status, output } = await inProcess("export", [
      path.join(emptyFolder, "program.ndjson"),
      ...args,
      "--snapshot",
    ]);

    expect(status).toBe(1);
    expect(output).toContain(words);
    expect(readdirSync(emptyFolder)).toEqual([]);
  });

  it("leaves no part of a file when it is stopped", async ({ expect }) => {
    const emptyFolder = temporaryFolder();
    const { args, requests } = await service({ lines: [A] }, { after: new Promise(() => {}), hasNext: true });
    const exporting = startCommand("export", [path.join(emptyFolder, "program.ndjson.gz"), ...args]);
    await expect.poll(() => requests.length).toBe(2);

    pressCtrlC(exporting);

    expect(await exporting.ended).toBe(130);
    expect(exporting.output()).toContain("Stopped.");
    expect(readdirSync(emptyFolder)).toEqual([]);
  });
});

describe("npm run export -- --check", () => {
  const PROGRAM = { record: "program", message_stamp: "2026-01-01 00:00:00" };
  const textOf = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const check = async (name: string, contents: string | Uint8Array, ...args: string[]) => {
    const checked = path.join(folder, name);
    writeFileSync(checked, contents);
    const twoHoursAgo = Date.now() / 1_000 - 7_200;
    utimesSync(checked, twoHoursAgo, twoHoursAgo);
    const { status, output } = await inProcess("export", ["--check", checked, ...args]);
    return { status, output: output.replaceAll(checked, "FILE") };
  };

  it("says that a whole export is whole, how old it is, and what it has", async ({ expect }) => {
    const whole = textOf(A, B, DELETION, PROGRAM);

    const plain = await check("whole.ndjson", whole);
    const zipped = await check("whole.ndjson.gz", gzipSync(whole), "--max-age", "3");

    const output = "FILE is whole: 4 lines, 2 hours old.\nstore 2, membership deleted 1, program 1\n";
    expect([plain, zipped]).toEqual(Array.from({ length: 2 }, () => ({ status: 0, output })));
  });

  it.for<[what: string, name: string, contents: string | Uint8Array, says: string]>([
    ["ends early", "cut.ndjson", textOf(A, B), "FILE is not whole: it ends with a line of store"],
    ["is empty", "empty.ndjson", "", "FILE is not whole: it ends with no line"],
    ["is cut within gzip", "cut.ndjson.gz", gzipSync(textOf(A, PROGRAM)).subarray(0, -9), "not whole gzip data"],
    ["is a page of HTML", "page.ndjson", "<html>\n", "FILE is damaged: line 1 is no record."],
    ["is too old", "old.ndjson", textOf(A, PROGRAM), "FILE is whole, but 2 hours old."],
  ])("fails if the file %s", async ([, name, contents, says], { expect }) => {
    const { status, output } = await check(name, contents, "--max-age", "2");

    expect(status).toBe(1);
    expect(output).toContain(says);
  });
});

import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, describe, it } from "vitest";
import { PatientClient } from "../../scripts/lib/attempts.ts";
import { FEED_BYTES } from "../support/feed-bytes.ts";
import { removeFolder } from "./clone.ts";
import { command, freePort, pressCtrlC, printed } from "./command.ts";

// The command against a service that answers as a test tells it to: what it does when things go wrong on the way.

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Ends the connection without an answer. */
  hangUp?: boolean;
  /** It does not come before. */
  after?: Promise<void>;
}

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-feed-"));
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => removeFolder(folder));

/** A service that gives the replies in turn, then takes everything; `received` holds the lines of each request it took. */
async function service(...replies: Reply[]) {
  const received: string[][] = [];
  const tokens: (string | undefined)[] = [];
  const asked = { count: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
    const reply = replies.shift() ?? {};
    asked.count += 1;
    await reply.after;
    if (reply.hangUp) return request.socket.destroy();
    const status = reply.status ?? 200;
    if (status === 200) {
      received.push(lines);
      tokens.push(request.headers.authorization);
    }
    response.writeHead(status, reply.headers);
    response.end(JSON.stringify(reply.body ?? { status: true, items: { accepted: lines.length, ignored: 0 } }));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, args: ["--url", url, "--token", "t"], asked, received, tokens };
}

const customer = (number: number) =>
  JSON.stringify({ record: "customer", id: `c${number}`, first_name: "A", last_name: "B" });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => customer(index + 1));

const entries = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ record: "balance_entry", id: `e${index}`, amount: "1.00", created_at: "2026-01-01 00:00:00" }),
  );

function file(name: string, content: string | Buffer): string {
  const place = path.join(folder, name);
  writeFileSync(place, content);
  return place;
}

async function run(args: string[], stdin = "") {
  const running = command("feed", args, { stdin });
  return { status: await running.ended, output: running.output() };
}

describe("npm run feed", () => {
  it("sends a file in order, in requests of at most 2,000 lines and 2 MiB, blank lines left out", async ({
    expect,
  }) => {
    const { args, received } = await service();
    const lines = numbered(2_001);
    const long = JSON.stringify({ record: "customer", id: "long", pad: "x".repeat(1_200_000) });
    const text = `${lines[0]}\n\n \n${lines.slice(1).join("\r\n")}\n${long}\n${long}`;

    const { status, output } = await run([file("order.ndjson", text), ...args]);

    expect(status).toBe(0);
    expect(output).toContain("2,003 lines committed (2,003 accepted, 0 ignored)");
    expect(received.map((request) => request.length)).toEqual([2_000, 2, 1]);
    expect(received.flat().map((line) => line.trimEnd())).toEqual([...lines, long, long]);
  });

  it("begins a request where a line deletes what one before it writes, or writes what one deletes", async ({
    expect,
  }) => {
    const { args, received } = await service();
    const pair = (customer_id: string, friend_id: string, rest: object) =>
      JSON.stringify({ record: "friendship", customer_id, friend_id, ...rest });
    const erasure = JSON.stringify({ record: "customer", id: "c1", deleted: true });
    const otherKind = JSON.stringify({ record: "store", id: "c1", deleted: true });
    const requests = [
      // The last of two lines that write counts, and a key is one of its kind.
      [customer(1), customer(2), customer(1), otherKind],
      [erasure, "[]", erasure],
      [customer(1), pair("c1", "c2", { status: 1 })],
      // The pair has no order.
      [`\uFEFF${pair("c2", "c1", { deleted: true })}`, customer(3)],
      [pair("c1", "c2", { status: 0, deleted: false }), customer(1)],
      [erasure],
      [customer(1)],
    ];

    const { status, output } = await run([file("turned.ndjson", requests.flat().join("\n")), ...args]);

    expect(status, output).toBe(0);
    expect(received).toEqual(requests);
  });

  it("begins a request at a delete whose field is written with escapes", async ({ expect }) => {
    const { args, received } = await service();
    const erasure = '{"record":"customer","id":"c1","d\\u0065leted":true}';

    await run([file("escaped", [erasure, customer(1)].join("\n")), ...args]);

    expect(received).toEqual([[erasure], [customer(1)]]);
  });

  it("sends four requests at once of records whose order shows nowhere, and no more", async ({ expect }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const { args, asked, received } = await service({ after }, { after }, { after }, { after }, { after });
    const running = command("feed", [file("entries", entries(10_000).join("\n")), ...args]);
    await expect.poll(() => asked.count, { timeout: 30_000 }).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const atOnce = asked.count;

    answer();

    expect(await running.ended, running.output()).toBe(0);
    expect(running.output()).toContain("10,000 lines committed");
    expect(atOnce).toBe(4);
    expect(received.flat().sort()).toEqual(entries(10_000).sort());
  });

  it("counts as committed what comes before the request that failed, and apart from it what later ones held", async ({
    expect,
  }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const bad = { after, status: 422, body: { status: false, messages: { "line 3.amount": ["is required"] } } };
    const { args, received } = await service({}, bad);
    const running = command("feed", [file("failing", entries(8_000).join("\n")), ...args]);
    await expect.poll(() => received.length, { timeout: 30_000 }).toBe(3);

    answer();

    expect(await running.ended).toBe(1);
    expect(running.output()).toContain("line 2003.amount: is required");
    expect(running.output()).toContain(
      "2,000 lines are committed, through line 2000, and 4,000 after the refused ones. Go on with: --from 2001",
    );
  });

  it("sends no more than 20,000 items of lists in a request", async ({ expect }) => {
    const { args, received } = await service();
    const store_ids = Array.from({ length: 4_000 }, (_, index) => `s${index}`);
    const lines = Array.from({ length: 6 }, (_, index) =>
      JSON.stringify({ record: "campaign", id: `k${index}`, store_ids }),
    );

    const { status } = await run([file("lists", [customer(1), ...lines].join("\n")), ...args]);

    expect(status).toBe(0);
    expect(received).toEqual([[customer(1), ...lines.slice(0, 5)], lines.slice(5)]);
  });

  it("sends what is too large for the service in halves, in order, and gives up on a single line", async ({
    expect,
  }) => {
    const tooLarge = { status: 413, body: { status: false, message: "These lines come to more." } };
    const { args, received } = await service(tooLarge, tooLarge);

    const { status, output } = await run([file("halves", numbered(5).join("\n")), ...args]);

    expect(status).toBe(0);
    expect(output).toContain("5 lines committed (5 accepted, 0 ignored)");
    expect(received).toEqual([numbered(2), numbered(3).slice(2), numbered(5).slice(3)]);
    const single = await service(tooLarge);
    const refused = await run([file("single", customer(1)), ...single.args]);
    expect(refused.status).toBe(1);
    expect(refused.output).toContain("The service answered 413: These lines come to more.");
  });

  it("sends a single line again where the database, not the line, may be too much", async ({ expect }) => {
    const body = { status: false, message: "This request is too much for the database." };
    const tooMuch = { status: 413, headers: { "Retry-After": "1" }, body };
    const { args, received, asked } = await service(tooMuch, tooMuch, {}, tooMuch);
    const startedAt = performance.now();

    const { status, output } = await run([file("much", numbered(2).join("\n")), ...args]);

    expect(status, output).toBe(0);
    expect(received).toEqual([numbered(1), numbered(2).slice(1)]);
    expect(asked.count).toBe(5);
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
  });

  it("stops, and says why, where the service asks to wait for hours", async ({ expect }) => {
    const message = "The database's rows of the day are used up. Try again after 00:00 UTC.";
    const limited = { status: 503, headers: { "Retry-After": "301" }, body: { status: false, message } };
    const { args, asked } = await service({}, limited);

    const { status, output } = await run([file("limited", numbered(2_001).join("\n")), ...args]);

    expect(status).toBe(1);
    expect(output).toContain(`The service answered 503: ${message}`);
    expect(output).toContain("2,000 lines are committed, through line 2000. Go on with: --from 2001");
    expect(asked.count).toBe(2);
  });

  it("reads gzip by its bytes, from a file or from standard input", async ({ expect }) => {
    const { args, received } = await service();

    await run([file("named-otherwise", gzipSync(numbered(3).join("\n"))), ...args]);
    await run(["-", ...args], customer(9));

    expect(received).toEqual([numbered(3), [customer(9)]]);
  });

  it("begins a request at each page of an export to restore, and keeps the limits", async ({ expect }) => {
    const { args, received, tokens } = await service();
    const lines = numbered(2_003);
    const text = `${lines[0]}\n${lines[1]}\n\n${lines.slice(2, 2_003).join("\n")}\n\n\n${customer(1)}\n\n`;

    const { status, output } = await run([file("export", gzipSync(text)), "--restore", ...args]);

    expect(status).toBe(0);
    expect(output).toContain("2,004 lines committed");
    expect(received.map((request) => request.length)).toEqual([2, 2_000, 1, 1]);
    expect(tokens).toEqual(Array(4).fill("Bearer t"));
  });

  it("goes on with a restore at a page's middle", async ({ expect }) => {
    const { args, received } = await service();
    const text = [customer(1), customer(2), "", customer(4), "", customer(6)].join("\n");

    await run([file("rest", text), "--restore", "--from", "2", ...args]);

    expect(received).toEqual([[customer(2)], [customer(4)], [customer(6)]]);
  });

  it("restores no part of an export", async ({ expect }) => {
    const { status, output } = await run([file("part", customer(1)), "--restore", "--only", "customer"]);

    expect(status).toBe(1);
    expect(output).toContain("cannot be used with option '--only <kinds>'");
  });

  it("checks the lines of an export as a restore takes them", async ({ expect }) => {
    const program = {
      record: "program",
      message_stamp: "2026-05-01 10:00:00",
      message_clock_said: "2026-05-01 10:00:00",
    };
    const group = { record: "message_group", id: "g", initial_customer_id: "c", member_ids: [] };
    const place = file("export", [program, group].map((line) => JSON.stringify(line)).join("\n"));

    const ordinary = await run([place, "--check"]);
    const restored = await run([place, "--check", "--restore"]);

    expect(ordinary.output).toContain("2 lines checked, 2 bad.");
    expect(restored.output).toContain("2 lines checked, all good.");
  });

  it("sends only the kinds asked for, from the line asked for", async ({ expect }) => {
    const { args, received } = await service();
    const account = JSON.stringify({ record: "account", id: "1", company: "x" });

    await run([
      file("kinds", [customer(1), account, customer(3)].join("\n")),
      "--only",
      "customer",
      "--from",
      "2",
      ...args,
    ]);

    expect(received).toEqual([[customer(3)]]);
  });

  it("tries again what may be tried again, and counts it once", async ({ expect }) => {
    const busy = { status: 503, headers: { "Retry-After": "1" } };
    const { args, received } = await service(
      {},
      busy,
      { hangUp: true },
      { status: 429, headers: { "Retry-After": "0" } },
    );

    const { status } = await run([file("retry", numbered(2_001).join("\n")), ...args]);

    expect(status).toBe(0);
    expect(received.map((request) => request.length)).toEqual([2_000, 1]);
  });

  it("goes on when the service is lost in the middle of its first request", async ({ expect }) => {
    const { args, received } = await service({ hangUp: true });

    const { status } = await run([file("lost", customer(1)), ...args]);

    expect(status).toBe(0);
    expect(received).toEqual([[customer(1)]]);
  });

  it("sends again what is not answered in time", async ({ expect }) => {
    const { url, received } = await service({ after: new Promise(() => {}) });
    const client = new PatientClient(5_000);

    const answer = await client.ask(new URL(url), { method: "POST", body: numbered(2).join("\n") });

    expect(answer?.status).toBe(200);
    expect(received).toEqual([numbered(2)]);
  });

  it("gives up at once where nobody is there", async ({ expect }) => {
    const url = `http://127.0.0.1:${await freePort()}`;

    const { status, output } = await run([file("nobody", customer(1)), "--url", url, "--token", "t"]);

    expect(status).toBe(1);
    expect(output).toContain("The service cannot be reached");
    expect(output).toContain("0 lines are committed. Once that is put right, send the file again.");
    // It says so where it waits to try again.
    expect(output).not.toContain("waiting for the service");
  });

  it("names a bad line by the file's number, says what is committed, and where to go on", async ({ expect }) => {
    const bad = { status: 422, body: { status: false, messages: { "line 2.latitude": ["must be at most 90"] } } };
    const { args } = await service({}, bad);
    const lines = [...numbered(2_000), "", customer(1), customer(2)];

    const { status, output } = await run([file("bad", lines.join("\n")), ...args]);

    expect(status).toBe(1);
    expect(output).toContain("line 2003.latitude: must be at most 90");
    expect(output).toContain("2,000 lines are committed, through line 2000. Go on with: --from 2001");
  });

  it.for([
    ["Lines 1, 2000 touch an account", { message: "Lines 1, 2000 touch an account that the token does not cover." }],
    ["Line 1020 touches", { message: "Line 1020 touches an account that the token does not cover." }],
    ["Error 1020", { message: "Error 1020: access denied" }],
    ["Refused (403).", "<html><title>Error 1020</title></html>"],
  ] as const)("says of a later 403 what it says, with the lines of the file: %s", async ([said, body], { expect }) => {
    const { args } = await service({}, { status: 403, body });

    const { status, output } = await run([file("forbidden", numbered(4_000).join("\n")), ...args]);

    expect(status).toBe(1);
    const inFile = said.startsWith("Line") ? said.replace(/\d+/g, (line) => String(2_000 + Number(line))) : said;
    expect(output).toContain(inFile);
  });

  it.for([
    [401, { message: "A valid bearer token is needed." }, "The token is not good", "Once that is put right, send"],
    [403, { message: "Line 1 touches an account that the token does not cover." }, "Line 1 touches", "Once that is"],
    [413, { message: "These lines come to more." }, "The service answered 413", "Correct the file and send it again."],
    [422, { messages: { "line 1.id": ["must be text"] } }, "line 1.id: must be text", "Correct the file and send it"],
    [500, { message: "Something went wrong on our side." }, "The service answered 500", "Once that is put right, send"],
    [
      507,
      { message: "Delete what is not needed any more." },
      "The database is full (507). Delete what",
      "Once that is",
    ],
  ] as const)("gives up at once on %s, in words that help", async ([status, body, words, advice], { expect }) => {
    const { args } = await service({ status, body });

    const { status: exit, output } = await run([file("refused", customer(1)), ...args]);

    expect(exit).toBe(1);
    expect(output).toContain(words);
    expect(output).toContain(`0 lines are committed. ${advice}`);
  });

  it("takes no answer for a feed's that is none", async ({ expect }) => {
    const { args } = await service({ status: 200, body: { some: "page" } });

    const { status, output } = await run([file("page", customer(1)), ...args]);

    expect(status).toBe(1);
    expect(output).toMatch(/^This is no feed: \S+ answers with something else\.$/m);
  });

  it("waits until a date, where the service names one", async ({ expect }) => {
    const date = new Date(Date.now() + 3_000);
    const { args, received } = await service({ status: 503, headers: { "Retry-After": date.toUTCString() } });

    const { status, output } = await run([file("date", customer(1)), ...args]);

    expect(status, output).toBe(0);
    expect(received).toHaveLength(1);
    // A date has no part of a second.
    expect(Date.now()).toBeGreaterThanOrEqual(date.getTime() - 1_000);
  });

  it("goes on from where it was to begin, if it is stopped before anything is committed", async ({ expect }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const { args, asked } = await service({ after, status: 503 });
    const running = command("feed", [file("begin", numbered(9).join("\n")), "--from", "5", ...args]);
    await expect.poll(() => asked.count, { timeout: 30_000 }).toBe(1);

    pressCtrlC(running);
    await printed(running, "Waiting for the answer");
    answer();

    expect(await running.ended).toBe(130);
    expect(running.output()).toContain("Go on with: --from 5");
  });

  it("lets the request under way end on Ctrl-C, and says where to go on", async ({ expect }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const { args, asked } = await service({}, { after });
    const running = command("feed", [file("long", numbered(20_000).join("\n")), ...args]);
    await expect.poll(() => asked.count).toBe(2);

    pressCtrlC(running);
    await printed(running, "Waiting for the answer");
    answer();

    expect(await running.ended).toBe(130);
    expect(running.output()).toContain("Stopped: 4,000 lines committed");
    expect(running.output()).toContain("Go on with: --from 4001");
  });

  it("checks a file with the service's schemas and sends nothing", async ({ expect }) => {
    const place = file("check", [customer(1), "", '{"record":"store"}', "{"].join("\n"));

    const { status, output } = await run([place, "--check"]);

    expect(status).toBe(1);
    expect(output).toContain("line 3.id: is required\nline 3.account_id: is required");
    expect(output).toContain("line 4: must be a JSON object");
    expect(output).toContain("3 lines checked, 2 bad. Nothing was sent.");
    expect((await run([file("good", customer(1)), "--check"])).status).toBe(0);
  });

  it("warns in a check of fields that records of the kind do not have, once for all lines", async ({ expect }) => {
    const lines = [
      customer(1),
      JSON.stringify({ ...JSON.parse(customer(2)), dob: "1990-01-01", Avatar: "a.png", qqqqqq: 1 }),
      JSON.stringify({ record: "customer", id: "3", firstName: "Ada", last_name: "L" }),
      ...Array.from({ length: 1_500 }, (_, index) =>
        JSON.stringify({ ...JSON.parse(customer(10 + index)), dob: null }),
      ),
    ];

    const { status, output } = await run([file("unknown", lines.join("\n")), "--check"]);

    expect(status).toBe(1);
    expect(output.match(/^Warning.*$/gm)).toEqual([
      "Warning: line 2 and 1,500 more: customer has no field dob; did you mean date_of_birth?",
      "Warning: line 2: customer has no field Avatar; did you mean avatar?",
      "Warning: line 2: customer has no field qqqqqq",
      "Warning: line 3: customer has no field firstName; did you mean first_name?",
    ]);
    expect(output).toContain("1,503 lines checked, 1 bad.");
  });

  it("checks bytes as the service reads them, and sends what counts there as a line", async ({ expect }) => {
    const { args, received } = await service();
    const place = file("bytes", Buffer.concat(FEED_BYTES.flatMap(({ body }) => [body, Buffer.from("\n")])));
    const faults: string[] = [];
    let before = 0;
    for (const { body, bad } of FEED_BYTES) {
      for (const [line, text] of Object.entries(bad)) faults.push(`line ${before + Number(line.slice(5))}: ${text}`);
      before += Buffer.from(body).toString("latin1").split("\n").length;
    }
    const lines = FEED_BYTES.reduce((sum, one) => sum + one.lines, 0);

    const { output } = await run([place, "--check"]);
    await run([place, ...args]);

    expect(output.match(/^line .*$/gm)).toEqual(faults);
    expect(output).toContain(`${lines} lines checked, ${faults.length} bad.`);
    expect(received.map((request) => request.length)).toEqual([lines]);
  });

  it("leaves out a first line with a byte order mark where its kind is not asked for", async ({ expect }) => {
    const { args, received } = await service();
    const account = JSON.stringify({ record: "account", id: "1", company: "x" });

    await run([file("marked", `\ufeff${customer(1)}\n${account}`), "--only", "account", ...args]);

    expect(received).toEqual([[account]]);
  });

  it("refuses a line that no request can carry before it is called good", async ({ expect }) => {
    const empty = JSON.stringify({ record: "customer", id: "c1", first_name: "A", last_name: "B", pad: "" });
    const line = empty.replace('""', `"${"x".repeat(2 * 1024 * 1024 - empty.length)}"`);

    const { status, output } = await run([file("wide", `${line}\n${customer(2)}`), "--check"]);

    expect(status).toBe(1);
    expect(output).toContain("Line 1 is longer than 2 MiB");
    expect((await run([file("fits", line.replace("xx", "x")), "--check"])).output).toContain("all good");
  });

  it.for([
    [["no-such-file"], "There is no file no-such-file."],
    [[folder], "is a folder"],
    [["-", "--only", "nothing"], "There is no kind nothing."],
    [["-", "--url", "https://loyalty.example"], "Name a feed token"],
    [["-", "--from", "0"], "It must be a whole number, 1 or more."],
    [[], "missing required argument 'file'"],
  ] as const)("says in a line what is wrong with %j", async ([args, words], { expect }) => {
    const { status, output } = await run([...args]);

    expect(status).toBe(1);
    expect(output).toContain(words);
    expect(output).not.toContain("    at ");
  });
});

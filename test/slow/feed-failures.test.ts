import { describe, it, vi } from "vitest";
import { patientFetch } from "../../scripts/lib/patient-client.ts";
import { freePort, pressCtrlC, startCommand, untilPrinted } from "./command.ts";
import { customers, feed, fileOf } from "./feeding.ts";
import { type Reply, scriptedService } from "./http-server.ts";

const HANGS_UP: Reply = { hangsUp: true };
const COMMITS: Reply = {};
const refuses = (status: number, body: unknown, headers = {}): Reply => ({ status, body, headers });
const BUSY = refuses(503, "", { "Retry-After": "1" });
const LIMIT_OF_DAY = refuses(503, { message: "The rows of the day are used up." }, { "Retry-After": "301" });
const TOO_LARGE = refuses(413, { message: "These lines come to more." });
const SHORT_OF_MEMORY = refuses(413, { message: "This request is too much for the database." }, { "Retry-After": "1" });

describe("npm run feed, when a request fails,", () => {
  it.for<{ what: string; replies: () => Reply[]; requests: number[]; atLeastMs?: number }>([
    { what: "halves one that is too large", replies: () => [TOO_LARGE, TOO_LARGE], requests: [2, 1, 2] },
    {
      what: "sends a single line again if the database was short of memory",
      replies: () => [SHORT_OF_MEMORY, SHORT_OF_MEMORY, COMMITS, SHORT_OF_MEMORY],
      requests: [1, 1],
      atLeastMs: 2_000,
    },
    {
      what: "repeats those that may succeed later, and counts their lines once",
      replies: () => [HANGS_UP, COMMITS, BUSY, HANGS_UP, refuses(429, "", { "Retry-After": "0" })],
      requests: [2_000, 1],
      atLeastMs: 1_000,
    },
    {
      what: "waits until the date that the service names",
      replies: () => [refuses(503, "", { "Retry-After": new Date(Date.now() + 2_000).toUTCString() })],
      requests: [1],
      // The date is in whole seconds.
      atLeastMs: 1_000,
    },
  ])("$what", async ({ replies, requests, atLeastMs = 0 }, { expect }) => {
    const { args, acceptedRequests } = await scriptedService(...replies());
    const lines = customers(requests.reduce((sum, count) => sum + count));
    const startedAt = performance.now();

    const { status, output } = await feed(fileOf(lines), ...args);

    expect(status, output).toBe(0);
    expect(output).toContain(`${lines.length.toLocaleString("en")} line`);
    expect(acceptedRequests.map((request) => request.length)).toEqual(requests);
    expect(acceptedRequests.flat()).toEqual(lines);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(atLeastMs);
  });

  const ONCE_PUT_RIGHT = "0 lines are committed. Once that is put right, send the file again.";
  const CORRECT = "0 lines are committed. Correct the file and send it again.";
  // The file's first line is blank.
  const GO_ON = "2,000 lines are committed, through line 2001. Go on with: --from 2002";
  it.for<[what: string, replies: Reply[], lines: number, ...says: string[]]>([
    ["401", [refuses(401, { message: "Bad." })], 1, "The service answered 401: Bad.", ONCE_PUT_RIGHT],
    ["403", [refuses(403, { message: "Line 1 touches an account" })], 1, "Line 2 touches an account", ONCE_PUT_RIGHT],
    [
      "403 for many lines",
      [refuses(403, { message: "Lines 1, 2, 3, 4, 5, 6, 7 (customer) need a token" })],
      7,
      "Lines 2, 3, 4, 5, 6, … (customer) need a token\n",
      ONCE_PUT_RIGHT,
    ],
    ["403 of a proxy", [refuses(403, "<html><title>Error 1020</title></html>")], 1, "Refused (403).", ONCE_PUT_RIGHT],
    ["413", [TOO_LARGE], 1, "The service answered 413", CORRECT],
    ["422", [refuses(422, { messages: { "line 1.id": ["must be text"] } })], 1, "line 2.id: must be text", CORRECT],
    [
      "422 for a taken id",
      [refuses(422, { messages: { "line 1.id": ["is the id of another event: amount differs"] } })],
      1,
      "line 2.id: is the id of another event: amount differs",
      "An event never changes. If two systems use one id, begin the ids of each with a prefix of its own.",
    ],
    ["500", [refuses(500, { message: "Something went wrong." })], 1, "The service answered 500", ONCE_PUT_RIGHT],
    ["507", [refuses(507, { message: "Delete." })], 1, "The service answered 507: Delete.", ONCE_PUT_RIGHT],
    [
      "an answer that is no feed's",
      [{ body: { some: "page" } }],
      1,
      "This is no feed: ",
      "answers with something else.",
    ],
    ["a wait of hours", [COMMITS, LIMIT_OF_DAY], 4_000, "The service answered 503: The rows of the day", GO_ON],
    [
      "a later 403",
      [COMMITS, refuses(403, { message: "Lines 1, 2000 touch" })],
      4_000,
      "Lines 2002, 4001 touch",
      GO_ON,
    ],
    [
      "a later 422",
      [COMMITS, refuses(422, { messages: { "line 3.amount": ["?"] } })],
      4_000,
      "line 2004.amount: ?",
      GO_ON,
    ],
  ])("stops at %s, and says what to do", async ([, replies, count, ...says], { expect }) => {
    const expectedRequests = replies.length;
    const { args, requests } = await scriptedService(...replies);

    const { status, output } = await feed(fileOf(["", ...customers(count)]), ...args);

    expect(status).toBe(1);
    for (const words of says) expect(output).toContain(words);
    expect(requests).toHaveLength(expectedRequests);
  });

  it("repeats one without an answer, and waits only for a service that has answered before", async ({ expect }) => {
    const { url, acceptedRequests } = await scriptedService({ after: new Promise(() => {}) });
    const noService = new URL(`http://127.0.0.1:${await freePort()}`);
    const stop = new AbortController();
    const ask = patientFetch(300, stop.signal);
    const onWait = vi.fn(() => stop.abort());

    await ask(noService, {}, { onWait });
    const waitsAtFirst = onWait.mock.calls.length;
    const answer = await ask(new URL(url), { method: "POST", body: customers(2).join("\n") });
    await ask(noService, {}, { onWait });

    expect(answer.status).toBe(200);
    expect(acceptedRequests).toEqual([customers(2)]);
    expect([waitsAtFirst, onWait.mock.calls.length]).toEqual([0, 1]);
  });

  it.for([
    { when: "before a commit", from: "5", replies: [], status: 503, says: ["Go on with: --from 5"] },
    {
      when: "after commits",
      from: "1",
      replies: [COMMITS],
      status: 200,
      says: ["4,000 lines committed", "Go on with: --from 4001"],
    },
  ])("waits for the current one on Ctrl-C $when, and says where to continue", async (trial, { expect }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const { args, requests } = await scriptedService(...trial.replies, { after, status: trial.status });
    const feeding = startCommand("feed", [fileOf(customers(20_000)), "--from", trial.from, ...args]);
    await expect.poll(() => requests.length).toBe(trial.replies.length + 1);

    pressCtrlC(feeding);
    await untilPrinted(feeding, "Waiting for the answer");
    answer();

    expect(await feeding.ended).toBe(130);
    for (const words of trial.says) expect(feeding.output()).toContain(words);
  });
});

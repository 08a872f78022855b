import { describe, it } from "vitest";
import { PatientClient } from "../../scripts/lib/patient-client.ts";
import { freePort, pressCtrlC, startCommand, untilPrinted } from "./command.ts";
import { customer, customers, feed, fileOf } from "./feeding.ts";
import { scriptedService } from "./http-server.ts";

describe("npm run feed, when something fails,", () => {
  it("names a bad line of the file, and says where to continue", async ({ expect }) => {
    const bad = { status: 422, body: { status: false, messages: { "line 3.amount": ["is required"] } } };
    const { args, acceptedRequests } = await scriptedService({}, bad);

    const { status, output } = await feed(fileOf(["", ...customers(6_000)]), ...args);

    expect(status).toBe(1);
    expect(output).toContain("line 2004.amount: is required");
    expect(output).toContain("2,000 lines are committed, through line 2001. Go on with: --from 2002");
    expect(acceptedRequests).toHaveLength(1);
  });

  it("halves a request that is too large for the service", async ({ expect }) => {
    const tooLarge = { status: 413, body: { status: false, message: "These lines come to more." } };
    const { args, acceptedRequests } = await scriptedService(tooLarge, tooLarge);

    const { status, output } = await feed(fileOf(customers(5)), ...args);

    expect(status).toBe(0);
    expect(output).toContain("5 lines committed (5 accepted, 0 ignored)");
    expect(acceptedRequests).toEqual([customers(2), customers(3).slice(2), customers(5).slice(3)]);
  });

  it("sends a single line again if the database was short of memory", async ({ expect }) => {
    const body = { status: false, message: "This request is too much for the database." };
    const tooMuch = { status: 413, headers: { "Retry-After": "1" }, body };
    const { args, acceptedRequests, requests } = await scriptedService(tooMuch, tooMuch, {}, tooMuch);
    const startedAt = performance.now();

    const { status, output } = await feed(fileOf(customers(2)), ...args);

    expect(status, output).toBe(0);
    expect(acceptedRequests).toEqual([customers(1), customers(2).slice(1)]);
    expect(requests.length).toBe(5);
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
  });

  it("stops and says why if the service asks for a wait of hours", async ({ expect }) => {
    const message = "The database's rows of the day are used up. Try again after 00:00 UTC.";
    const limited = { status: 503, headers: { "Retry-After": "301" }, body: { status: false, message } };
    const { args, requests } = await scriptedService({}, limited);

    const { status, output } = await feed(fileOf(customers(2_001)), ...args);

    expect(status).toBe(1);
    expect(output).toContain(`The service answered 503: ${message}`);
    expect(output).toContain("2,000 lines are committed, through line 2000. Go on with: --from 2001");
    expect(requests.length).toBe(2);
  });

  it("repeats requests that may succeed later, and counts their lines once", async ({ expect }) => {
    const busy = { status: 503, headers: { "Retry-After": "1" } };
    const { args, acceptedRequests } = await scriptedService(
      { hangsUp: true },
      {},
      busy,
      { hangsUp: true },
      { status: 429, headers: { "Retry-After": "0" } },
    );

    const { status } = await feed(fileOf(customers(2_001)), ...args);

    expect(status).toBe(0);
    expect(acceptedRequests.map((request) => request.length)).toEqual([2_000, 1]);
  });

  it("repeats a request without an answer", async ({ expect }) => {
    const { url, acceptedRequests } = await scriptedService({ after: new Promise(() => {}) });
    const client = new PatientClient(300);

    const answer = await client.ask(new URL(url), { method: "POST", body: customers(2).join("\n") });

    expect(answer?.status).toBe(200);
    expect(acceptedRequests).toEqual([customers(2)]);
  });

  it("gives up at once if there is no service", async ({ expect }) => {
    const url = `http://127.0.0.1:${await freePort()}`;

    const { status, output } = await feed(fileOf([customer(1)]), "--url", url, "--token", "t");

    expect(status).toBe(1);
    expect(output).toContain("The service cannot be reached");
    expect(output).toContain("0 lines are committed. Once that is put right, send the file again.");
    // The command prints this text before another try.
    expect(output).not.toContain("waiting for the service");
  });

  it.for([
    ["Lines 2001, 4000 touch an account", { message: "Lines 1, 2000 touch an account that the token does not cover." }],
    ["Refused (403).", "<html><title>Error 1020</title></html>"],
  ] as const)("repeats the text of a 403 with the line numbers of the file: %s", async ([words, body], { expect }) => {
    const { args } = await scriptedService({}, { status: 403, body });

    const { status, output } = await feed(fileOf(customers(4_000)), ...args);

    expect(status).toBe(1);
    expect(output).toContain(words);
  });

  it.for([
    [401, { message: "A valid bearer token is needed." }, "The token is not good", "Once that is put right, send"],
    [403, { message: "Line 1 touches an account that the token does not cover." }, "Line 1 touches", "Once that is"],
    [413, { message: "These lines come to more." }, "The service answered 413", "Correct the file and send it again."],
    [422, { messages: { "line 1.id": ["must be text"] } }, "line 1.id: must be text", "Correct the file and send it"],
    [500, { message: "Something went wrong on our side." }, "The service answered 500", "Once that is put right, send"],
    [507, { message: "Delete old records." }, "The database is full (507). Delete old records.", "Once that is"],
  ] as const)("gives up at once on %s and says what to do", async ([status, body, words, advice], { expect }) => {
    const { args } = await scriptedService({ status, body });

    const { status: exit, output } = await feed(fileOf([customer(1)]), ...args);

    expect(exit).toBe(1);
    expect(output).toContain(words);
    expect(output).toContain(`0 lines are committed. ${advice}`);
  });

  it("refuses an answer that is not a feed's", async ({ expect }) => {
    const { args } = await scriptedService({ status: 200, body: { some: "page" } });

    const { status, output } = await feed(fileOf([customer(1)]), ...args);

    expect(status).toBe(1);
    expect(output).toMatch(/^This is no feed: \S+ answers with something else\.$/m);
  });

  it("waits until the date that the service names", async ({ expect }) => {
    const date = new Date(Date.now() + 2_000);
    const { args, acceptedRequests } = await scriptedService({
      status: 503,
      headers: { "Retry-After": date.toUTCString() },
    });

    const { status, output } = await feed(fileOf([customer(1)]), ...args);

    expect(status, output).toBe(0);
    expect(acceptedRequests).toHaveLength(1);
    // The date is in whole seconds.
    expect(Date.now()).toBeGreaterThanOrEqual(date.getTime() - 1_000);
  });

  it.for([
    { when: "before a commit", from: "5", replies: [], status: 503, says: ["Go on with: --from 5"] },
    {
      when: "after commits",
      from: "1",
      replies: [{}],
      status: 200,
      says: ["4,000 lines committed", "Go on with: --from 4001"],
    },
  ])("waits for the current request on Ctrl-C $when, and says where to continue", async (trial, { expect }) => {
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

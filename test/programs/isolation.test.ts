import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { type Answer, as, ndjson, send } from "../support/api.ts";
import { CALLS, customerRoutes, otherRoutes } from "../support/calls.ts";
import { passHealth } from "../support/health.ts";
import { handshake, listenOn } from "../support/live.ts";
import { program } from "../support/programs.ts";
import * as seed from "../support/seed.ts";
import { addPrograms, setVariables } from "../support/test-programs.ts";
import { customerToken, signToken } from "../support/tokens.ts";

// Three programs with the same ids. Whatever is of one says so in its texts.
const own = program("mine-only");
const lines = (mark: string) => JSON.parse(JSON.stringify(own.lines).replaceAll("mine-only", mark));
const PROGRAMS = [
  { mark: "default-only", claims: {} },
  { mark: "acme-only", claims: { program: "acme" } },
  { mark: "a-b-only", claims: { program: "a-b" } },
];
const me = String(own.customer.id);

async function feedInto(claims: object, feedLines: Parameters<typeof ndjson>[0]): Promise<Answer> {
  const token = await signToken({ scope: "feed", sub: "tests", accounts: "*", ...claims });
  const answer = await send("/api/v1/feed", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: ndjson(feedLines),
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer;
}

let remove: () => void;
beforeAll(async () => {
  remove = await addPrograms("acme", "a-b");
  for (const { mark, claims } of PROGRAMS) await feedInto(claims, lines(mark));
});
afterAll(() => remove());
afterEach(() => vi.restoreAllMocks());

/** The marks of the programs of which something stands in a text. */
const marksIn = (text: string) => PROGRAMS.map(({ mark }) => mark).filter((mark) => text.includes(mark));

describe("programs with the same ids", () => {
  it("are tried at every endpoint", ({ expect }) => {
    expect(Object.keys(CALLS).sort()).toEqual(customerRoutes());
    expect(otherRoutes()).toEqual([
      "GET /api/v1/customer/live",
      "GET /api/v1/feed",
      "GET /health",
      "POST /api/v1/feed",
    ]);
  });

  const cases = Object.keys(CALLS).flatMap((route) => PROGRAMS.map((one) => ({ route, ...one })));

  // Twice, because the second answer may come from memory, KV or an inbox.
  it.for(cases)("answer $route each as if alone: $mark", async ({ route, mark, claims }, { expect }) => {
    const answers: Answer[] = [];
    for (let time = 0; time < 2; time += 1) {
      const answer = await CALLS[route]?.(as(me, claims), { ...own, mark });
      if (answer !== undefined) answers.push(answer);
    }

    expect(answers.map(({ status, body }) => [status, marksIn(JSON.stringify(body))])).toEqual([
      [200, [mark]],
      [200, [mark]],
    ]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
  });

  it("are fed each for itself", async ({ expect }) => {
    const versions = [];
    for (const { claims } of PROGRAMS) versions.push((await feedInto(claims, [])).headers.get("X-Feed-Version"));
    await feedInto({ program: "acme" }, [{ ...own.customer, first_name: "acme-only", last_name: "changed" }]);

    const names = [];
    for (const { mark, claims } of PROGRAMS) {
      const { body } = await as(me, claims).post("/api/v1/customer/full-search", { query: mark });
      names.push(body.items.customers.find(({ id }: { id: string }) => id === me)?.last_name);
    }

    expect(new Set(versions).size).toBe(1);
    expect(names).toEqual(["Lovelace", "changed", "Lovelace"]);
  });

  it("are exported each for itself, and take no cursor of each other", async ({ expect }) => {
    const exported = async (claims: object, query = "") => {
      const token = await signToken({ scope: "export", sub: "tests", accounts: "*", ...claims });
      return send(`/api/v1/feed${query}`, { headers: { Authorization: `Bearer ${token}` } });
    };
    const page = await exported({ program: "acme" }, "?record=store,campaign");
    const cursor = /after=([^&>]+)/.exec(page.headers.get("Link") ?? "")?.[1];
    const next = `?record=store,campaign&after=${cursor}`;

    for (const { mark, claims } of PROGRAMS)
      expect(marksIn(JSON.stringify((await exported(claims)).body))).toEqual([mark]);
    const statuses = [];
    for (const { claims } of PROGRAMS) statuses.push((await exported(claims, next)).status);
    expect(statuses).toEqual([422, 200, 422]);
  });

  it("notify their own listeners only", async ({ expect }) => {
    const sockets = [];
    for (const { claims } of PROGRAMS) {
      const token = await customerToken(me, claims);
      const { webSocket } = await handshake({ Authorization: `Bearer ${token}` });
      if (webSocket === null) throw new Error("no socket");
      const listener = listenOn(webSocket);
      await listener.next();
      sockets.push(listener);
    }

    await feedInto({ program: "a-b" }, [seed.entry(me, own.store.id, "1.00")]);
    await sockets[2]?.next();
    await new Promise((resolve) => setTimeout(resolve, 500));

    // The hello of each and the frame of the last one.
    expect(sockets.map(({ frames }) => frames.length)).toEqual([1, 1, 2]);
    for (const { socket } of sockets) socket.close();
  });

  it("know nothing of each other's quiet polls", async ({ expect }) => {
    const poll = (claims: object) =>
      as(me, { ...claims }).get("/api/v1/customer/messages?check_time=2026-06-01%2000:00:00");
    // So that what the default program reports is newer than the notifications of acme.
    for (let time = 0; time < 5; time += 1) await feedInto({}, []);
    for (const { claims } of PROGRAMS) await poll(claims);

    await feedInto({ program: "acme" }, [
      seed.message(own.one.message_group?.id, me, { id: "news", body: "acme-only", sent_at: "2026-06-02 00:00:00" }),
    ]);
    const bodies = [];
    for (const { claims } of PROGRAMS) bodies.push((await poll(claims)).body.status);

    expect(bodies).toEqual([false, true, false]);
  });

  it("count the requests of a customer apart", async ({ expect }) => {
    const limit = vi.spyOn(Object.getPrototypeOf(env.CUSTOMER_LIMITER), "limit");

    for (const { claims } of PROGRAMS) await as(me, claims).get("/api/v1/customer/coupons");

    expect(new Set(limit.mock.calls.map((call) => JSON.stringify(call))).size).toBe(3);
  });

  it("take no bookmark of each other", async ({ expect }) => {
    const sessions = [env.DB, env.TEST_DATABASE_1].map((database) =>
      vi.spyOn(Object.getPrototypeOf(database), "withSession"),
    );
    const { headers } = await as(me).get("/api/v1/customer/coupons");
    const bookmark = headers.get("X-D1-Bookmark") ?? "";

    const startOf = async (claims: object) => {
      for (const session of sessions) session.mockClear();
      await send("/api/v1/customer/coupons", {
        headers: { Authorization: `Bearer ${await customerToken(me, { ...claims })}`, "X-D1-Bookmark": bookmark },
      });
      return sessions.flatMap(({ mock }) => mock.calls)[0]?.[0];
    };

    expect(bookmark).not.toBe("");
    expect(await startOf({})).toBe(bookmark.slice(0, bookmark.lastIndexOf(".")));
    expect(await startOf({ program: "acme" })).toBe("first-unconstrained");
  });

  it("are in no key of KV that could be another's", async ({ expect }) => {
    const { keys } = await env.CACHE.list();

    // Of each program the board that was asked for, with and without its campaign.
    expect(new Set(keys.map(({ name }) => JSON.parse(name)[0]))).toEqual(new Set(["", "acme", "a-b"]));
  });

  it("are named in the log, but for the default one", async ({ expect }) => {
    const log = vi.spyOn(console, "log").mockReturnValue();

    for (const { claims } of PROGRAMS) await as(me, claims).get("/api/v1/customer/coupons");
    await send("/api/v1/customer/coupons");

    const named = log.mock.calls.map(([line]) => JSON.parse(line)).filter(({ route }) => route !== undefined);
    expect(named.map((line) => line.program)).toEqual([undefined, "acme", "a-b", undefined]);
    expect(named.map((line) => "program" in line)).toEqual([false, true, true, false]);
  });
});

describe("the service of several programs", () => {
  const prepare = () => {
    throw new Error("down");
  };
  const DOWN = { withSession: () => ({ prepare }) };
  const run = async () => {
    const context = createExecutionContext();
    await worker.scheduled(createScheduledController({ cron: "30 5 * * *" }), env, context);
    await waitOnExecutionContext(context);
  };

  it("says how many are well, and names none", async ({ expect }) => {
    passHealth();
    const well = await send("/health");
    passHealth();
    setVariables({ DB_ACME: DOWN });
    const ill = await send("/health");
    setVariables({ DB_ACME: env.TEST_DATABASE_1 });

    expect(well.body.items.programs).toEqual({ well: 3, of: 3 });
    expect(ill.status).toBe(503);
    expect(ill.body.message).toBe("The database of 1 of 3 programs cannot be reached.");
    expect(JSON.stringify(ill.body)).not.toMatch(/acme/i);
  });

  it("logs each failure of a job, the default program's too, whichever is thrown", async ({ expect }) => {
    vi.spyOn(console, "log").mockReturnValue();
    const errors = vi.spyOn(console, "error").mockReturnValue();
    const { DB } = env;
    setVariables({ DB: DOWN, DB_ACME: DOWN });
    await expect(run()).rejects.toThrow("The database cannot be reached.");
    setVariables({ DB, DB_ACME: env.TEST_DATABASE_1 });

    const failed = errors.mock.calls.map(([line]) => JSON.parse(line));
    expect(failed.map(({ program, error }) => [program, error])).toEqual(
      expect.arrayContaining([
        [undefined, "JOB_FAILED"],
        ["acme", "JOB_FAILED"],
      ]),
    );
  });

  it("runs each scheduled job for every program, also where it fails for one", async ({ expect }) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const errors = vi.spyOn(console, "error").mockReturnValue();
    await run();
    setVariables({ DB_ACME: DOWN });
    await expect(run()).rejects.toThrow("The database cannot be reached.");
    setVariables({ DB_ACME: env.TEST_DATABASE_1 });

    const named = log.mock.calls.map(([line]) => JSON.parse(line).program);
    expect(named.toSorted()).toEqual(["a-b", "a-b", "acme", undefined, undefined]);
    expect(errors.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { program: "acme", error: "JOB_FAILED" },
    ]);
  });
});

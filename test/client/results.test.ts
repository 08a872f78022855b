import { describe, it, vi } from "vitest";
import { mustFeed } from "../support/api.ts";
import { clientOf, worker } from "../support/client.ts";
import * as seed from "../support/seed.ts";

describe("a result", () => {
  it("has the id of its request and the HTTP status, whether it went well or not", async ({ expect }) => {
    const { client } = clientOf("c");

    const results = [
      await client.fullSearch({ query: "nobody" }),
      await client.messages(),
      await client.teamWithLevel("no such store"),
      await client.fullSearch({ query: "b" }),
    ];

    expect(results.map(({ status, httpStatus }) => [status, httpStatus])).toEqual([
      [true, 200],
      [false, 200],
      [false, 404],
      [false, 422],
    ]);
    const ids = results.map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(4);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[\w-]{8,}$/)));
  });

  it("says how long the service asked to wait, where it did", async ({ expect }) => {
    const failure = { status: false, errorCode: "TOO_MANY_REQUESTS", message: "Too many requests." };
    const headers = { "Retry-After": "60" };
    const refused = clientOf("c", async () => Response.json(failure, { status: 429, headers }));

    expect(await refused.client.coupons()).toMatchObject({ ...failure, httpStatus: 429, retryAfterMs: 60_000 });
    expect(refused.sent).toHaveLength(1);
    expect(await clientOf("c").client.messages()).not.toHaveProperty("retryAfterMs");
  });

  it("of a board has its age in seconds", async ({ expect }) => {
    const old = { headers: { "X-Board-Age": "17" } };
    const { client } = clientOf("c", async () => Response.json({ status: true, items: [] }, old));

    expect(await client.leaderboard({ location_id: "nowhere" })).toMatchObject({ status: true, items: [], age: 17 });
    expect(await clientOf("c").client.leaderboard({ location_id: "nowhere" })).toMatchObject({ age: 0 });
  });
});

/** A service that answers with these headers in turn. Notes the headers of each request. */
function service(...answers: Record<string, string>[]) {
  const sent: Record<string, string>[] = [];
  const made = clientOf("c", async (_, init) => {
    const { authorization: _token, ...headers } = Object.fromEntries(new Headers(init?.headers));
    sent.push(headers);
    return Response.json({ status: true, items: [] }, { headers: answers[sent.length - 1] ?? {} });
  });
  return { client: made.client, sent };
}

describe("the bookmark of an answer", () => {
  it("goes with the next request, whatever it asks for", async ({ expect }) => {
    const { client, sent } = service({ "X-D1-Bookmark": "0001.sign" }, {});

    await client.coupons();
    await client.fullSearch({ query: "blue" });
    await client.messages();

    expect(sent.map((headers) => headers["x-d1-bookmark"])).toEqual([undefined, "0001.sign", "0001.sign"]);
  });

  it("stays, if an answer to an earlier one comes later", async ({ expect }) => {
    const sent: (string | null)[] = [];
    const answering: ((bookmark: string) => void)[] = [];
    const { client } = clientOf("c", (_, init) => {
      sent.push(new Headers(init?.headers).get("X-D1-Bookmark"));
      return new Promise<Response>((resolve) => {
        answering.push((bookmark) => {
          resolve(Response.json({ status: true, items: [] }, { headers: { "X-D1-Bookmark": bookmark } }));
        });
      });
    });
    const calls = [client.coupons(), client.messages(), client.me()];
    await vi.waitFor(() => expect(answering).toHaveLength(3));

    for (const [at, bookmark] of [
      [1, "0002.b"],
      [2, "0003.c"],
      [0, "0001.a"],
    ] as const) {
      answering[at]?.(bookmark);
      await calls[at];
    }
    const last = client.coupons();
    await vi.waitFor(() => expect(sent).toHaveLength(4));
    answering[3]?.("0004.d");
    await last;

    expect(sent.at(-1)).toBe("0003.c");
  });

  it("is dropped for an earlier one that the answer has instead: the service did not take it", async ({ expect }) => {
    const { client, sent } = service(
      { "X-D1-Bookmark": "0009.a" },
      { "X-D1-Bookmark": "0001.b" },
      { "X-D1-Bookmark": "0002.b" },
    );

    for (let times = 0; times < 4; times += 1) await client.coupons();

    expect(sent.map((headers) => headers["x-d1-bookmark"])).toEqual([undefined, "0009.a", "0001.b", "0002.b"]);
  });

  it("is one that the service takes", async ({ expect }) => {
    const account = seed.account();
    await mustFeed([account]);
    const seen: (string | null)[][] = [];
    const { client } = clientOf("c", async (input, init) => {
      const answer = await worker(input, init);
      seen.push([new Headers(init?.headers).get("X-D1-Bookmark"), answer.headers.get("X-D1-Bookmark")]);
      return answer;
    });

    await client.coupons();
    await client.myCoupons();

    const [first, second] = seen;
    expect(first?.[0]).toBe(null);
    expect(second?.[0]).toBe(first?.[1]);
    expect(String(second?.[1]) >= String(first?.[1])).toBe(true);
  });

  it("is dropped if it is of another database: the service answers with its own", async ({ expect }) => {
    const sent: (string | null)[] = [];
    const answered: string[] = [];
    const { client } = clientOf("c", async (input, init) => {
      sent.push(new Headers(init?.headers).get("X-D1-Bookmark"));
      const answer = await worker(input, init);
      answered.push(answer.headers.get("X-D1-Bookmark") ?? "");
      if (sent.length > 1) return answer;
      return new Response(answer.body, { headers: { "X-D1-Bookmark": "ffffffff-of-the-database-before" } });
    });

    for (let times = 0; times < 3; times += 1) await client.coupons();

    expect(sent).toEqual([null, "ffffffff-of-the-database-before", answered[1]]);
  });
});

describe("an answer with an ETag", () => {
  /** A service whose lists have tags. Counts the answers with a body. */
  function tagged(text: (address: string) => string = () => "") {
    const sent: [address: string, tag: string | null][] = [];
    const tags = new Map<string, string>();
    const { client } = clientOf("c", async (input, init) => {
      const address = String(input);
      const given = new Headers(init?.headers).get("If-None-Match");
      sent.push([address, given]);
      const tag = tags.get(address) ?? 'W/"1"';
      const headers = { ETag: tag, "X-Request-Id": `r${sent.length}` };
      if (given === tag) return new Response(null, { status: 304, headers });
      return Response.json({ status: true, items: [{ name: tag, text: text(address) }] }, { headers });
    });
    return { client, sent, tags };
  }
  const address = (query: string) => `https://loyalty.example/api/v1/customer/coupons${query}`;

  it("is given again where the service answers 304", async ({ expect }) => {
    const { client, sent } = tagged();

    const first = await client.coupons();
    const second = await client.coupons();

    expect(sent).toEqual([
      [address(""), null],
      [address(""), 'W/"1"'],
    ]);
    expect(second).toEqual({ ...first, httpStatus: 304, requestId: "r2" });
  });

  it("is another object each time, so that nobody changes what another is given", async ({ expect }) => {
    const { client } = tagged();
    await client.coupons();
    const second = await client.coupons();
    if (second.status) second.items.length = 0;

    const third = await client.coupons();

    expect(third.status && third.items).toHaveLength(1);
  });

  it("is replaced once the list has changed", async ({ expect }) => {
    const { client, tags } = tagged();
    await client.coupons();
    tags.set(address(""), 'W/"2"');

    const changed = await client.coupons();
    const again = await client.coupons();

    expect([changed, again].map((one) => [one.httpStatus, one.status && one.items[0]?.name])).toEqual([
      [200, 'W/"2"'],
      [304, 'W/"2"'],
    ]);
  });

  it("is forgotten once there was an answer without items, which has no tag", async ({ expect }) => {
    const { headers, body } = { headers: { ETag: 'W/"1"' }, body: { status: true, items: [{ name: "the list" }] } };
    const answers = [body, { status: false, errorCode: "NO_ITEMS", message: "None." }, body];
    const asked: (string | null)[] = [];
    const { client } = clientOf("c", async (_, init) => {
      const given = new Headers(init?.headers).get("If-None-Match");
      const answer = answers[asked.length];
      asked.push(given);
      if (answer?.status === false) return Response.json(answer);
      return given === headers.ETag ? new Response(null, { status: 304, headers }) : Response.json(answer, { headers });
    });

    const listed = [await client.coupons(), await client.coupons(), await client.coupons(), await client.coupons()];

    expect(listed.map(({ status }) => status)).toEqual([true, false, true, true]);
  });

  it("is known by its address, and by its client alone", async ({ expect }) => {
    const { client, sent } = tagged();
    for (const search of ["a", "b", "a", "b"]) await client.coupons({ search });
    await tagged().client.coupons({ search: "a" });

    expect(sent.map(([, tag]) => tag)).toEqual([null, null, 'W/"1"', 'W/"1"']);
  });

  it("is forgotten when 4,000,000 characters are held in all, the one used longest ago first", async ({ expect }) => {
    const { client, sent } = tagged(() => "x".repeat(1_300_000));
    for (const search of ["a", "b", "c", "a", "d"]) await client.coupons({ search });
    sent.length = 0;

    for (const search of ["a", "b"]) await client.coupons({ search });

    expect(sent.map(([, tag]) => tag)).toEqual(['W/"1"', null]);
  });

  it("that is a search is never asked for so", async ({ expect }) => {
    const { client, sent } = tagged();

    for (let times = 0; times < 2; times += 1) await client.fullSearch({ query: "blue" });

    expect(sent.map(([, tag]) => tag)).toEqual([null, null]);
  });
});

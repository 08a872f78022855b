import { describe, it } from "vitest";
import { createTill, LoyaltyError } from "../src/till.ts";
import { pass, stopTime } from "./support/scripted-service.ts";
import { ENTRY, type Fault, HOLD, lostConnection, REDEMPTION, TillService } from "./support/till-service.ts";

const UUID = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/;
const retryAfter = (status: number, seconds: number) =>
  Response.json({ status: false }, { status, headers: { "Retry-After": String(seconds) } });

/** What a call came to: its items, its failure or its error. */
async function outcomeOf(call: Promise<unknown>, milliseconds = 60_000): Promise<unknown> {
  const outcome = call.catch((error: unknown) => error);
  await pass(milliseconds);
  return outcome;
}

stopTime();

describe("createTill", () => {
  it.for(["", "/api", "loyalty.example"])(
    "refuses an address that is not the address of a service: %j",
    (url, { expect }) => {
      expect(() => createTill({ url, token: "t" })).toThrow(TypeError);
    },
  );
});

describe("a call of a till", () => {
  it("sends each request of the contract, and makes its id", async ({ expect }) => {
    const service = new TillService();
    const till = service.open();

    await till.customerOf("40");
    await till.coupons("c/1", { store_id: "s1" });
    await till.book({ ...ENTRY, created_at: "2026-06-01T11:00:00Z" });
    await till.hold(HOLD);
    await till.free("h/1");
    await till.redeem(REDEMPTION);
    await till.reverse({ redemption_id: "r1", store_id: "s1" });
    await till.explain({ customer_id: "c1", coupon_id: "k1" });

    const id = expect.stringMatching(UUID);
    expect(service.sent.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["POST", "/customers/find", { scan_id: "40" }],
      ["GET", "/customers/c%2F1/coupons?store_id=s1", {}],
      ["POST", "/entries", { ...ENTRY, id, created_at: "2026-06-01T11:00:00Z" }],
      ["POST", "/holds", { ...HOLD, id }],
      ["DELETE", "/holds/h%2F1", {}],
      ["POST", "/redemptions", { ...REDEMPTION, id }],
      ["POST", "/reversals", { id, redemption_id: "r1", store_id: "s1" }],
      ["GET", "/explanations?customer_id=c1&coupon_id=k1", {}],
    ]);
    expect(new Set(service.sent.flatMap(({ body }) => body.id ?? [])).size).toBe(4);
  });

  it("sends the id that it is given, and the till's time with an entry", async ({ expect }) => {
    const service = new TillService();

    await service.open().book({ ...ENTRY, id: "e1" });

    expect(service.sent[0]?.body).toEqual({ ...ENTRY, id: "e1", created_at: "2026-06-01T12:00:00.000Z" });
  });

  it("gives a refusal with its checks, and sends it once", async ({ expect }) => {
    const checks = [{ check: "a_use_is_free", holds: false, detail: "3 of 3 uses" }];
    const body = { status: false, errorCode: "NOT_POSSIBLE", message: "No use is free.", checks };
    const service = new TillService(Response.json(body, { status: 422 }));

    const result = await service.open().redeem(REDEMPTION);

    expect(result).toEqual({ ...body, httpStatus: 422, requestId: "" });
    expect(service.sent).toHaveLength(1);
  });
});

describe("an act", () => {
  it.for<[what: string, faults: Fault[], outcome: object, times: number[]]>([
    ["is repeated if its answer is lost", ["lost", "lost"], { status: true }, [0, 750, 2_250]],
    ["is repeated after 500, 502, 503 and 504", [500, 502, 503, 504], { status: true }, [0, 750, 2_250, 5_250, 11_250]],
    ["is repeated if no answer comes in time", ["silence"], { status: true }, [0, 8_750]],
    ["waits the seconds of Retry-After", [retryAfter(503, 5)], { status: true }, [0, 5_250]],
    ["is repeated after 429, if there is time", [retryAfter(429, 10)], { status: true }, [0, 10_250]],
    ["is refused by 429, if there is no time", [retryAfter(429, 60)], { httpStatus: 429, retryAfterMs: 60_000 }, [0]],
    ["is refused by 401", [401], { httpStatus: 401 }, [0]],
    ["is refused by 507", [507], { httpStatus: 507 }, [0]],
    ["is repeated after a 401 if it may be stored", ["lost", 401], { status: true }, [0, 750, 2_250]],
    ["is repeated after a 507 if it may be stored", [503, 507], { status: true }, [0, 750, 2_250]],
  ])("%s", async ([, faults, expected, times], { expect }) => {
    const service = new TillService(...faults);

    const outcome = await outcomeOf(service.open().redeem(REDEMPTION));

    expect(outcome).toMatchObject(expected);
    expect(service.sent.map(({ at }) => at)).toEqual(times);
    expect(new Set(service.sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it.for([409, 404, 422])(
    "is refused with %d after a lost try, and that try is taken back",
    async (status, { expect }) => {
      const service = new TillService("lost", status);

      const outcome = await outcomeOf(service.open().redeem(REDEMPTION));
      await pass(60_000);

      expect(outcome).toMatchObject({ httpStatus: status });
      expect(service.sent.map(({ at, path }) => [at, path])).toEqual([
        [0, "/redemptions"],
        [750, "/redemptions"],
        [15_750, "/redemptions"],
        [15_750, "/reversals"],
      ]);
      expect(service.left.uses).toBe(0);
    },
  );

  it("is repeated as long as the call says", async ({ expect }) => {
    const service = new TillService(...Array<Fault>(12).fill(503));

    const outcome = await outcomeOf(service.open().redeem(REDEMPTION, { repeatForMs: Infinity }), 300_000);

    expect(outcome).toMatchObject({ status: true });
    expect(service.sent.at(-1)?.at).toBe(180_750);
  });

  it("that is given up throws the last failure, its cause and the act", async ({ expect }) => {
    const service = new TillService(503, "unsent");

    const error = await outcomeOf(
      service.open().redeem({ ...REDEMPTION, id: "r1" }, { repeatForMs: 2_000, takeBack: false }),
    );

    expect(error).toBeInstanceOf(LoyaltyError);
    expect(error).toMatchObject({ failure: null, cause: { cause: lostConnection } });
    expect(error).toHaveProperty("act", { act: "redeem", body: { ...REDEMPTION, id: "r1" } });
  });

  it("throws the reason of its signal, and is taken back if it was sent", async ({ expect }) => {
    const service = new TillService("silence");
    const till = service.open();
    const stop = new AbortController();

    const call = till.redeem(REDEMPTION, { signal: stop.signal }).catch((reason: unknown) => reason);
    await pass(1_000);
    stop.abort(new Error("enough"));
    const error = await call;
    const later = await outcomeOf(till.redeem(REDEMPTION, { signal: stop.signal }));

    expect([error, later]).toEqual([new Error("enough"), new Error("enough")]);
    expect(service.sent.map(({ path }) => path)).toEqual(["/redemptions", "/redemptions", "/reversals"]);
    expect(service.left.uses).toBe(0);
  });

  const FAULTS = ["lost", "unsent", 503, 401] as const;
  const sequences = FAULTS.flatMap((first) =>
    FAULTS.flatMap((second) => FAULTS.map((third) => [first, second, third])),
  );
  it.for([
    ["a redemption", { uses: 1, points: 0 }],
    ["a booking", { uses: 0, points: -5 }],
  ] as const)("that resolves is done once, and one that throws is not done: %s", async ([name, done], { expect }) => {
    for (const faults of sequences) {
      const service = new TillService(...faults);
      const till = service.open({ repeatForMs: 2_000 });

      const act = name === "a booking" ? till.book(ENTRY) : till.redeem(REDEMPTION);
      const outcome = await outcomeOf(act);

      const isDone = (outcome as { status?: boolean }).status === true;
      expect(service.left, faults.join(", ")).toEqual(isDone ? done : { uses: 0, points: 0 });
    }
  });
});

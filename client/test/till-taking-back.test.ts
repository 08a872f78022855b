import { describe, it } from "vitest";
import { oppositeOf } from "../../scripts/lib/opposite.ts";
import type { Act, LoyaltyError } from "../src/till.ts";
import { pass, stopTime } from "./support/scripted-service.ts";
import { ENTRY, type Fault, HOLD, REDEMPTION, REFUSED, TillService } from "./support/till-service.ts";

const REDEEM = { act: "redeem" as const, body: { ...REDEMPTION, id: "r1" } };

stopTime();

/** A redemption that is given up after its first request. Notes in a Map stand for notes in a file. */
async function giveUp(...faults: Fault[]) {
  const service = new TillService(...faults);
  const notes = new Map<string, Act>();
  const till = service.open({ notes, repeatForMs: 700 });
  const call = till.redeem(REDEEM.body).catch((error: LoyaltyError) => error);
  await pass(700);
  return { service, notes, till, outcome: await call };
}

const pathsOf = ({ sent }: TillService) => sent.map(({ path }) => path.slice(1));

describe("an act that was given up", () => {
  it("is repeated until it is answered, and then reversed until it is answered", async ({ expect }) => {
    const { service, till, outcome } = await giveUp("lost", "unsent", 503, 401, "lost", 429, null, "lost", 503);
    await pass(600_000);
    await till.settled();

    expect(outcome).toMatchObject({ name: "LoyaltyError", act: REDEEM });
    expect(pathsOf(service)).toEqual([...Array(7).fill("redemptions"), ...Array(3).fill("reversals")]);
    expect(service.left.uses).toBe(0);
  });

  it.for([404, 409, 422])("is not reversed if it is refused with %d, and again later", async (status, { expect }) => {
    const { service } = await giveUp("unsent", status, status);
    await pass(600_000);

    expect(pathsOf(service)).toEqual(["redemptions", "redemptions", "redemptions"]);
  });

  it("is reversed if an earlier try arrives after a refusal", async ({ expect }) => {
    const { service } = await giveUp("unsent", 422);
    await pass(600_000);

    expect(pathsOf(service)).toEqual([...Array(3).fill("redemptions"), "reversals"]);
    expect(service.left.uses).toBe(0);
  });

  it("is reversed under the id that `npm run undo` gives, with the same content", async ({ expect }) => {
    const service = new TillService();
    const till = service.open();
    const created_at = "2026-06-01T12:00:00Z";
    const entry = { ...ENTRY, id: "till-3:ü", created_at, campaign_id: "k1", description: "Lunch" };

    await till.takeBack({ act: "book", body: entry });
    await till.takeBack({ act: "book", body: { ...entry, id: "e2", amount: "0.50" } });
    await till.takeBack(REDEEM);

    const { minimum_balance: _, ...stored } = entry;
    const opposite = await oppositeOf({ record: "balance_entry", ...stored });
    const reversal = await oppositeOf({ record: "redemption", ...REDEEM.body });
    const bodies = service.sent.map(({ body }) => body);
    expect({ record: "balance_entry", ...bodies[1] }).toEqual(opposite);
    expect(bodies[3]).toMatchObject({ amount: "-0.50" });
    expect(bodies[5]).toEqual({ id: reversal?.id, redemption_id: "r1", store_id: "s1" });
  });

  it("is only freed if it is a hold", async ({ expect }) => {
    const service = new TillService("silence", "unsent");

    const call = service.open({ repeatForMs: 700 }).hold({ ...HOLD, id: "h/1" });
    call.catch(() => {});
    await pass(10_000);

    expect(service.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /holds",
      ...Array(2).fill("DELETE /holds/h%2F1"),
    ]);
  });

  it("is left alone if the call says so", async ({ expect }) => {
    const service = new TillService("lost");
    const notes = new Map<string, Act>();
    const till = service.open({ notes });

    const call = till.redeem(REDEEM.body, { takeBack: false, repeatForMs: 700 });
    call.catch(() => {});
    await pass(600_000);

    expect(service.left.uses).toBe(1);
    expect(notes.size).toBe(0);
    await expect(call).rejects.toHaveProperty("act", REDEEM);
  });

  it("counts as taken back if somebody else has reversed it", async ({ expect }) => {
    const { service, notes, till } = await giveUp("lost", "unsent");
    await service.open().reverse({ redemption_id: "r1", store_id: "s1" });
    await pass(600_000);

    expect(service.left.uses).toBe(0);
    expect(notes.size).toBe(0);
    expect(till.onError).toHaveBeenCalledTimes(1);
  });

  it("is reported, and stays noted, if the service refuses to reverse it", async ({ expect }) => {
    const { notes, till } = await giveUp("lost", null, Response.json(REFUSED, { status: 422 }));
    await pass(600_000);

    expect(notes.get("redeem r1")).toEqual(REDEEM);
    expect(till.onError.mock.calls).toEqual([[expect.objectContaining({ message: "Not now." }), REDEEM]]);
  });
});

describe("the notes of a till", () => {
  it("have an act from before it is sent until it is answered", async ({ expect }) => {
    const events: string[] = [];
    const service = new TillService("unsent");
    const till = service.open({
      notes: {
        set: async (key) => events.push(`${key} noted, ${service.sent.length} sent`),
        delete: async (key) => events.push(`${key} removed, ${service.sent.length} sent`),
      },
    });

    const call = till.redeem(REDEEM.body);
    await pass(10_000);
    await call;

    expect(events).toEqual(["redeem r1 noted, 0 sent", "redeem r1 removed, 2 sent"]);
  });

  it("have a redemption and an entry of the same id, each until it is answered", async ({ expect }) => {
    const { notes, till } = await giveUp("lost", ...Array<Fault>(1_000).fill("unsent"));
    const kept = [...notes.keys()];
    await till
      .book({ id: "r1", customer_id: "c1", store_id: "s1", amount: "1.00" }, { repeatForMs: 1 })
      .catch(() => {});

    expect([kept, [...notes.keys()]]).toEqual([["redeem r1"], ["redeem r1", "book r1"]]);
  });

  it("let the next process take back what the last one did not hear of", async ({ expect }) => {
    const { service, notes } = await giveUp("lost", ...Array<Fault>(1_000).fill("unsent"));
    const stored = JSON.parse(JSON.stringify([...notes.values()])) as Act[];
    service.faults.length = 0;

    const next = service.open({ notes });
    for (const act of stored) await next.takeBack(act);

    expect(service.left.uses).toBe(0);
    expect(notes.size).toBe(0);
  });

  it("stop an act that cannot be noted, and take one back that cannot be removed", async ({ expect }) => {
    const service = new TillService();
    const fails = () => Promise.reject(new Error("disk full"));
    const nothing = () => {};

    const unsaid = service.open({ notes: { set: fails, delete: nothing } }).redeem(REDEMPTION);
    await expect(unsaid).rejects.toThrow("disk full");
    expect(service.sent).toEqual([]);
    const kept = service.open({ notes: { set: nothing, delete: fails } }).redeem(REDEMPTION);
    await expect(kept).rejects.toThrow("disk full");
    await pass(10_000);

    expect(pathsOf(service)).toEqual(["redemptions", "redemptions", "reversals"]);
  });
});

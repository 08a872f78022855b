import { describe, it } from "vitest";
import { Random } from "../../../scripts/program/random.ts";
import { during } from "./during.ts";
import { SimulatedKv } from "./kv.ts";
import { Time } from "./time.ts";
import { Weather } from "./weather.ts";

const READ = { type: "json", cacheTtl: 30 } as const;
const WRITE = { expirationTtl: 3_600 };

function simulatedKv() {
  const time = new Time();
  const random = new Random("kv");
  const kv = new SimulatedKv({ time, random, weather: new Weather(time, random, new Set()) });
  const inTime = <Value>(work: Promise<Value>) => during(time, work);
  return {
    here: kv.bindingAt("here"),
    there: kv.bindingAt("there"),
    during: inTime,
    pass: (ms: number) => inTime(time.wait(ms)),
  };
}

describe("the simulated KV", () => {
  it("shows a write at once where it was made, and elsewhere within a minute", async ({ expect }) => {
    const { here, there, during, pass } = simulatedKv();
    await during(here.put("key", "1", WRITE));

    expect(await during(here.get("key", READ))).toBe(1);
    await pass(60_000);
    expect(await during(there.get("key", READ))).toBe(1);
  });

  it("caches where it was read that there was nothing", async ({ expect }) => {
    const { here, there, during, pass } = simulatedKv();
    expect(await during(there.get("key", { ...READ, cacheTtl: 600 }))).toBeNull();
    await during(here.put("key", "1", WRITE));
    await pass(60_000);

    expect(await during(there.get("key", READ))).toBeNull();
  });

  it("takes one write a second and key", async ({ expect }) => {
    const { here, during, pass } = simulatedKv();
    await during(here.put("key", "1", WRITE));

    await expect(during(here.put("key", "2", WRITE))).rejects.toThrow("429");
    await pass(1_000);
    await during(here.put("key", "3", WRITE));

    expect(await during(here.get("key", READ))).toBe(3);
  });
});

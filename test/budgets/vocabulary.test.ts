import { describe, it } from "vitest";
import { firstName, lastName } from "../../scripts/bench/program/names.ts";
import { Random } from "../../scripts/demo/random.ts";

const CUSTOMERS = 1_000_000;

describe("the names of the benchmark's program", () => {
  it("are many in a million customers, a few of them common and most of them rare", { timeout: 30_000 }, ({
    expect,
  }) => {
    const random = new Random("vocabulary");
    const borne = new Map<string, number>();
    for (let customer = 0; customer < CUSTOMERS; customer += 1) {
      for (const name of [firstName(random), lastName(random)]) borne.set(name, (borne.get(name) ?? 0) + 1);
    }

    const counts = [...borne.values()].sort((one, other) => other - one);
    expect(counts.length).toBeGreaterThan(100_000);
    expect(counts[0]).toBeGreaterThan(CUSTOMERS / 200);
    expect(counts[0]).toBeLessThan(CUSTOMERS / 50);
    expect(counts[Math.floor(counts.length / 2)]).toBeLessThan(5);
    expect([...borne.keys()].filter((name) => /[^a-z]/i.test(name)).length).toBeGreaterThan(1_000);
  });
});

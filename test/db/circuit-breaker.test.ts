import { afterEach, describe, it, vi } from "vitest";
import { CircuitBreaker, type Outcome } from "../../src/db/circuit-breaker.ts";

/** A number sets the clock, in milliseconds. Any other step is a call with this outcome. */
type Step = number | Outcome | "never ends" | "is refused";

const TWO_TIMEOUTS: Step[] = ["timed out", "timed out"];

const CASES: [behaviour: string, steps: Step[]][] = [
  ["refuses calls after two timeouts in a row", [...TWO_TIMEOUTS, "is refused"]],
  [
    "lets calls through as long as an answer comes between two timeouts",
    [...Array.from({ length: 10 }, () => ["timed out", "answered"] as Step[]).flat(), "answered"],
  ],
  ["does not count lost connections, because nobody waits for them", [...Array<Step>(10).fill("failed"), "answered"]],
  [
    "lets one call, the probe, through after two seconds, and no other until it has ended or six seconds are over",
    [...TWO_TIMEOUTS, 1_999, "is refused", 2_000, "never ends", "is refused", 7_999, "is refused", 8_000, "never ends"],
  ],
  ["lets all through once the probe is answered", [...TWO_TIMEOUTS, 2_000, "answered", "never ends", "never ends"]],
  [
    "lets the next call probe if the connection of the probe is lost",
    [...TWO_TIMEOUTS, 2_000, "failed", "never ends", "is refused"],
  ],
];

afterEach(() => void vi.restoreAllMocks());

describe("the circuit breaker", () => {
  it.for(CASES)("%s", ([, steps], { expect }) => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const breaker = new CircuitBreaker();

    for (const [index, step] of steps.entries()) {
      if (typeof step === "number") {
        now = step;
        continue;
      }
      const settle = breaker.enter();
      expect(settle === null, `step ${index + 1}`).toBe(step === "is refused");
      if (step === "answered" || step === "timed out" || step === "failed") settle?.(step);
    }
  });

  it("counts two seconds from the end of a probe", ({ expect }) => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const breaker = new CircuitBreaker();
    for (const _ of TWO_TIMEOUTS) breaker.enter()?.("timed out");
    now = 2_000;
    const settle = breaker.enter();
    now = 7_000;

    settle?.("timed out");

    now = 8_999;
    expect(breaker.enter()).toBeNull();
    now = 9_000;
    expect(breaker.enter()).not.toBeNull();
  });

  it("does not count a feed that times out after others were answered", ({ expect }) => {
    const breaker = new CircuitBreaker();
    const feeds = [breaker.enter(), breaker.enter()];
    breaker.enter()?.("answered");

    for (const settle of feeds) settle?.("timed out");

    expect(breaker.enter()).not.toBeNull();
  });
});

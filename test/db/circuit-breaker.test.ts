import { beforeEach, describe, it } from "vitest";
import { CircuitBreaker, type Settle } from "../../src/db/circuit-breaker.ts";

let now = 0;
let breaker = new CircuitBreaker(() => now);

beforeEach(() => {
  now = 0;
  breaker = new CircuitBreaker(() => now);
});

function enter(): Settle {
  const settle = breaker.enter();
  if (settle === null) throw new Error("refused");
  return settle;
}

function timeOut(times: number): void {
  for (let count = 0; count < times; count += 1) enter()("timed out");
}

describe("the circuit breaker", () => {
  it("refuses calls after two timeouts in a row", ({ expect }) => {
    timeOut(1);
    expect(breaker.enter()).not.toBeNull();
    timeOut(1);

    expect(breaker.enter()).toBeNull();
  });

  it("lets calls through as long as an answer comes between two timeouts", ({ expect }) => {
    for (let count = 0; count < 10; count += 1) {
      timeOut(1);
      enter()("answered");
    }

    expect(breaker.enter()).not.toBeNull();
  });

  it("counts no lost connections: they keep nobody waiting", () => {
    for (let count = 0; count < 10; count += 1) enter()("failed");

    enter();
  });

  it("lets one call through after two seconds, and no other meanwhile", ({ expect }) => {
    timeOut(2);
    now = 1_999;
    expect(breaker.enter()).toBeNull();
    now = 2_000;

    expect(breaker.enter()).not.toBeNull();
    expect(breaker.enter()).toBeNull();
    now = 7_999;
    expect(breaker.enter()).toBeNull();
  });

  it("lets all through once that one is answered", ({ expect }) => {
    timeOut(2);
    now = 2_000;
    enter()("answered");

    expect([breaker.enter(), breaker.enter()]).not.toContain(null);
  });

  it("waits two seconds more where it is not answered", ({ expect }) => {
    timeOut(2);
    now = 2_000;
    const settle = enter();
    now = 7_000;
    settle("timed out");

    now = 8_999;
    expect(breaker.enter()).toBeNull();
    now = 9_000;
    expect(breaker.enter()).not.toBeNull();
  });

  it("lets the next one look where the connection of that one was lost", ({ expect }) => {
    timeOut(2);
    now = 2_000;
    enter()("failed");

    expect(breaker.enter()).not.toBeNull();
    expect(breaker.enter()).toBeNull();
  });

  it("lets another one look after six seconds, because a cancelled request never ends", ({ expect }) => {
    timeOut(2);
    now = 2_000;
    enter();
    now = 8_000;

    expect(breaker.enter()).not.toBeNull();
  });

  it("does not count a feed that times out after others were answered", ({ expect }) => {
    const feeds = [enter(), enter()];
    enter()("answered");
    for (const settle of feeds) settle("timed out");

    expect(breaker.enter()).not.toBeNull();
  });
});

import { describe, it } from "vitest";
import contract from "../../docs/contract/interface.md?raw";
import { LIMIT_PERIOD_SECONDS, REQUESTS_A_MINUTE } from "../../src/http/limits.ts";
import wrangler from "../../wrangler.toml?raw";

/** The limiters in wrangler.toml. */
function limiters() {
  return wrangler
    .split(/^(?=\[)/m)
    .filter((section) => section.startsWith("[[ratelimits]]"))
    .map((section) => ({
      name: /^name = "(\w+)"$/m.exec(section)?.[1],
      limit: Number(/\blimit = (\d+)/.exec(section)?.[1]),
      period: Number(/\bperiod = (\d+)/.exec(section)?.[1]),
    }));
}

describe("the rate limits of src/http/limits.ts", () => {
  it("are those of the limiters in wrangler.toml", ({ expect }) => {
    expect(limiters()).toEqual([
      { name: "CUSTOMER_LIMITER", limit: REQUESTS_A_MINUTE.customer, period: LIMIT_PERIOD_SECONDS },
      { name: "TILL_LIMITER", limit: REQUESTS_A_MINUTE.till, period: LIMIT_PERIOD_SECONDS },
      { name: "ADDRESS_LIMITER", limit: REQUESTS_A_MINUTE.address, period: LIMIT_PERIOD_SECONDS },
    ]);
  });

  it("are those that the contract promises", ({ expect }) => {
    const promisedLimits = [...contract.matchAll(/^\| requests a minute.* \| (\d+) \|$/gm)].map(([, limit]) =>
      Number(limit),
    );

    expect(promisedLimits).toEqual([REQUESTS_A_MINUTE.customer, REQUESTS_A_MINUTE.till, REQUESTS_A_MINUTE.address]);
  });
});

import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { networkOf } from "../../src/middleware/rate-limit.ts";
import { as, send } from "../support/api.ts";
import { customerToken, feedToken } from "../support/tokens.ts";

const PATH = "/api/v1/customer/coupons";

describe("the network of an address", () => {
  it.for([
    ["192.0.2.7", "192.0.2.7"],
    ["unknown", "unknown"],
    ["2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"],
    ["2001:db8:1:2::9", "2001:0db8:0001:0002"],
    ["2001:db8::9", "2001:0db8:0000:0000"],
    ["::1", "0000:0000:0000:0000"],
    ["2001:db8:1:2::", "2001:0db8:0001:0002"],
  ] as const)("of %s is %s", ([address, network], { expect }) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe("a request", () => {
  const customer = () => customerToken("c1");

  it.for<
    [who: string, key: string, status: number, request: { path?: string; method?: string; token?: typeof customer }]
  >([
    ["a customer", "customer c1", 200, { token: customer }],
    ["somebody without a token", "2001:0db8:0007:0007", 401, {}],
    ["somebody at an unknown path", "2001:0db8:0007:0007", 404, { path: "/api/v1/nothing", token: customer }],
    ["somebody with another method", "2001:0db8:0007:0007", 405, { method: "DELETE", token: customer }],
    ["somebody with another scope", "2001:0db8:0007:0007", 403, { token: () => feedToken("*") }],
  ])(
    "of %s is counted by %s, and beyond the limit is answered 429 instead of %i",
    async ([, key, status, { path = PATH, method = "GET", token }], { expect }) => {
      const counts: unknown[] = [];
      let isAllowed = true;
      const limiter = (name: string) => ({
        limit: async (options: RateLimitOptions) => {
          counts.push([name, options.key]);
          return { success: isAllowed };
        },
      });
      Object.assign(env, { CUSTOMER_LIMITER: limiter("customer"), ADDRESS_LIMITER: limiter("address") });
      const headers = {
        "CF-Connecting-IP": "2001:db8:7:7::1",
        ...(token !== undefined && { Authorization: `Bearer ${await token()}` }),
      };

      const firstAnswer = await send(path, { method, headers });
      isAllowed = false;
      const limitedAnswer = await send(path, { method, headers });

      expect([firstAnswer.status, limitedAnswer.status]).toEqual([status, 429]);
      expect(limitedAnswer.headers.get("Retry-After")).toBe("60");
      expect(limitedAnswer.body).toMatchObject({ status: false, errorCode: "TOO_MANY_REQUESTS" });
      expect(counts).toEqual(Array(2).fill([key === "customer c1" ? "customer" : "address", key]));
    },
  );
});

describe("a limiter that fails", () => {
  it("lets customers in, but nobody without a token", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const limit = vi.spyOn(Object.getPrototypeOf(env.CUSTOMER_LIMITER), "limit");
    limit.mockRejectedValue(new Error("limiter of a-secret-customer"));

    const [customerAnswer, strangerAnswer] = [await as("c1").get(PATH), await send(PATH)];

    expect([customerAnswer.status, strangerAnswer.status]).toEqual([200, 401]);
    expect(limit).toHaveBeenCalledTimes(2);
    expect(JSON.stringify(log.mock.calls)).not.toContain("a-secret-customer");
  });
});

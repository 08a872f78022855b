import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { REQUESTS_A_MINUTE } from "../../src/http/limits.ts";
import { networkOf } from "../../src/middleware/rate-limit.ts";
import { as, send } from "../support/api.ts";

const PATH = "/api/v1/customer/coupons";

describe("the network of an address", () => {
  it.for([
    ["192.0.2.7", "192.0.2.7"],
    ["unknown", "unknown"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:db8::9", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["2001:db8:1:2::", "2001:db8:1:2"],
  ] as const)("of %s is %s", ([address, network], { expect }) => {
    expect(networkOf(address)).toBe(network);
  });

  it("is rate-limited as one, however many addresses it sends from", async ({ expect }) => {
    const from = (address: string) => send(PATH, { headers: { "CF-Connecting-IP": address } });

    for (let sent = 0; sent < REQUESTS_A_MINUTE.address; sent += 1) await from(`2001:db8:7:7::${sent.toString(16)}`);

    expect((await from("2001:db8:7:7:ffff::1")).status).toBe(429);
    expect((await from("2001:db8:7:8::1")).status).toBe(401);
  });
});

describe("a limiter that fails", () => {
  it("lets customers in, and still nobody without a token", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const limit = vi.spyOn(Object.getPrototypeOf(env.CUSTOMER_LIMITER), "limit");
    limit.mockRejectedValue(new Error("limiter of a-secret-customer"));

    const [known, stranger] = [await as("c1").get(PATH), await send(PATH)];

    expect([known.status, stranger.status]).toEqual([200, 401]);
    expect(limit).toHaveBeenCalledTimes(2);
    expect(JSON.stringify(log.mock.calls)).not.toContain("a-secret-customer");
    vi.restoreAllMocks();
  });
});

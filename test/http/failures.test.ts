import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { as, feed, send } from "../support/api.ts";
import { customerToken } from "../support/tokens.ts";

const PATH = "/api/v1/customer/campaigns/near-by-popular-campaigns";
const GOOD_BODY = { latitude: 1, longitude: 1, single_account_id: "1" };

afterEach(() => vi.restoreAllMocks());

const failDatabase = (message: string) =>
  vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch").mockRejectedValue(new Error(`D1_ERROR: ${message}`));

describe("a failure", () => {
  it("is 413 for a body over 64 KiB even if the request does not say its length", async ({ expect }) => {
    const headers = { Authorization: `Bearer ${await customerToken("c")}` };
    const body = new Blob(["x".repeat(64 * 1024 + 1)]).stream();

    const answer = await send(PATH, { method: "POST", headers, body });

    expect(answer).toMatchObject({ status: 413, body: { errorCode: "PAYLOAD_TOO_LARGE" } });
  });

  it("is 503 with Retry-After where D1 cannot be reached", async ({ expect }) => {
    failDatabase("Network connection lost.");

    const answers = [await as("c").post(PATH, GOOD_BODY), await feed([{ record: "account", id: "1", company: "x" }])];

    for (const { status, body, headers } of answers) {
      expect([status, headers.get("Retry-After")]).toEqual([503, "2"]);
      expect(body).toMatchObject({ status: false, errorCode: "UNAVAILABLE" });
      expect(JSON.stringify(body)).not.toContain("Network");
    }
  });

  it("is 500 for a bug, with the request's id, without the cause", async ({ expect }) => {
    failDatabase("no such column: secret_value: SQLITE_ERROR");
    const log = vi.spyOn(console, "log");

    const { status, body, headers } = await as("c").post(PATH, GOOD_BODY);

    expect([status, body.errorCode]).toEqual([500, "INTERNAL_ERROR"]);
    expect(body.message).toContain(headers.get("X-Request-Id"));
    expect(JSON.stringify(body)).not.toContain("secret_value");
    expect(String(log.mock.lastCall)).not.toContain("secret_value");
  });

  it("writes one log line, without the token, a customer's id, or a value of the request", async ({ expect }) => {
    const log = vi.spyOn(console, "log");

    await as("somebody-known").post(`${PATH}?search=a-secret`, { single_account_id: "424242" });

    expect(log).toHaveBeenCalledTimes(1);
    const line = String(log.mock.lastCall?.[0]);
    expect(JSON.parse(line)).toMatchObject({ method: "POST", route: PATH, status: 422, roundTrips: 0 });
    for (const secret of ["somebody-known", "a-secret", "424242", "Bearer", "eyJ"]) expect(line).not.toContain(secret);
  });
});

import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Session } from "../../examples/app/lib/session.ts";
import { buildAppPage } from "../../scripts/lib/app-page.ts";
import { type AppSession, serveAppSession } from "../../scripts/lib/app-session.ts";
import { buildReference } from "../../scripts/lib/reference.ts";
import { ROOT } from "./command.ts";

const PORT = 8787;
const OWN_ORIGIN = `http://127.0.0.1:${PORT}`;
let session: AppSession;

beforeAll(async () => {
  session = await serveAppSession(PORT, "production");
});
afterAll(() => session.close());

/** Asks for the tokens as a page does. The headers may name the page's origin and the host that it asks. */
function ask(headers: Record<string, string>) {
  return new Promise<{ status: number; body: string; allowed: string }>((resolve, reject) => {
    const asking = request(session.url, { headers }, async (answer) => {
      const body = Buffer.concat(await answer.toArray()).toString();
      resolve({ status: answer.statusCode ?? 0, body, allowed: String(answer.headers["access-control-allow-origin"]) });
    });
    asking.on("error", reject).end();
  });
}

describe("the example app's tokens", () => {
  it.for([OWN_ORIGIN, `http://localhost:${PORT}`])(
    "live an hour at most, and are given to the page at %s",
    async (origin, { expect }) => {
      const { status, body, allowed } = await ask({ Origin: origin });
      const { customers, tillToken } = JSON.parse(body) as Session;

      expect({ status, allowed }).toEqual({ status: 200, allowed: origin });
      for (const token of [tillToken, ...customers.map((customer) => customer.token)]) {
        const { exp } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { exp: number };
        expect(exp - Date.now() / 1_000).toBeGreaterThan(3_500);
        expect(exp - Date.now() / 1_000).toBeLessThanOrEqual(3_600);
      }
    },
  );

  it.for<[caller: string, headers: Record<string, string>]>([
    ["a caller that is no page", {}],
    ["a page without an origin", { Origin: "null" }],
    ["another page", { Origin: "http://evil.example" }],
    ["another page with this port", { Origin: `http://evil.example:${PORT}` }],
    ["another name of this machine", { Origin: OWN_ORIGIN, Host: "evil.example" }],
  ])("are refused to %s", async ([, headers], { expect }) => {
    expect(await ask(headers)).toMatchObject({ status: 403, body: "" });
  });
});

describe("the example app's files", () => {
  it("have no token, and a policy that allows no code, style or address but their own", async ({ expect }) => {
    const { files, headers } = await buildAppPage(session.url);

    expect(files.size).toBeGreaterThan(3);
    expect([...files.values()].filter((text) => /eyJ[\w-]{10}/.test(text))).toEqual([]);
    expect(headers).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(headers).not.toMatch(/unsafe|'?\*'?;/);
  });

  it("are no part of a deployment", ({ expect }) => {
    buildReference();

    const read = (name: string) => readFileSync(path.join(ROOT, "dist", "reference", name), "utf8");
    expect(existsSync(path.join(ROOT, "dist", "reference", "app"))).toBe(false);
    expect(read("_headers")).not.toContain("/app");
    expect(read("openapi.json")).not.toContain("](/app/)");
    // A page with a token would give it to everybody.
    expect(JSON.parse(read("settings.json"))).toEqual({});
  });
});

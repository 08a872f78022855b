import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { temporaryFolder } from "./clone.ts";
import { PERMISSIONS } from "./cloudflare/permissions.ts";
import { ok, refusal } from "./cloudflare/reply.ts";
import { openAccount, run, STAGING, WORKER } from "./deploying.ts";

const migrate = (env: Record<string, string>) => run("deploy", ["--migrate", ...STAGING], { env });

describe("npm run deploy", () => {
  it.for(PERMISSIONS.map(({ permission }) => permission))(
    "makes nothing with a token that lacks %s, and names the refused call and the permission",
    async (permission, { expect }) => {
      const { cloudflare, env } = await openAccount();
      cloudflare.permissions.delete(permission);

      const { status, output } = await migrate({ ...env, CLOUDFLARE_ACCOUNT_ID: "" });

      expect(status).toBe(1);
      expect(output).toMatch(/Cloudflare answers (GET|POST) \/\S+ with 403: Authentication error \[code: 10000\]/);
      expect(output).toContain(`The login needs the permission ${permission}.`);
      expect([...cloudflare.databases, ...cloudflare.namespaces, ...cloudflare.writes]).toEqual([]);
    },
  );

  it("waits while Cloudflare fails, names the call, and takes what a lost answer had made", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    const failures = new Map([
      ["GET /workers/subdomain", () => refusal(500, 0, "Internal Server Error")],
      ["POST /storage/kv/namespaces", () => refusal(400, 10013, "workers.api.error.unknown")],
      ["POST /d1/database", () => refusal(500, 7500, "internal error")],
    ]);
    cloudflare.intercept = async ({ route, answer }) => {
      const failure = failures.get(route);
      failures.delete(route);
      if (failure === undefined) return answer();
      // The database is made, although the answer says otherwise.
      if (route === "POST /d1/database") await answer();
      return failure();
    };

    const { status, output } = await migrate(env);

    expect(status, output).toBe(0);
    expect(output).toContain("Cloudflare answers GET /workers/subdomain with 500; trying again …");
    expect([cloudflare.databases.size, cloudflare.namespaces.size]).toEqual([1, 1]);
  });

  it("takes both codes for a missing Worker", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    cloudflare.intercept = ({ route, answer }) =>
      route === `GET /workers/scripts/${WORKER}/secrets` ? refusal(404, 10090, "No such environment") : answer();

    expect((await migrate(env)).output).toContain("Give staging a JWT_SECRET for it alone");
  });

  it("renews a login that expires meanwhile", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    const home = temporaryFolder();
    const folder = path.join(home, ".wrangler", "config");
    mkdirSync(folder, { recursive: true });
    const writeLogin = (token: string) =>
      writeFileSync(
        path.join(folder, "default.toml"),
        `oauth_token = "${token}"\nexpiration_time = "2099-01-01T00:00:00.000Z"\nrefresh_token = "r"\n`,
      );
    writeLogin("first");
    cloudflare.intercept = ({ route, headers, answer }) => {
      if (route === "POST /d1/database") writeLogin("second");
      const expired = route === "POST /d1/database" && headers.get("Authorization") === "Bearer first";
      return expired ? refusal(403, 9109, "Invalid access token") : answer();
    };

    const { status, output } = await migrate({ ...env, HOME: home, CLOUDFLARE_API_TOKEN: "" });

    expect(status, output).toBe(0);
  });

  it("takes a global API key", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    const logins = new Set<string | null>();
    cloudflare.intercept = ({ route, headers, answer }) => {
      if (!route.includes("/workers.dev/")) logins.add(headers.get("X-Auth-Key"));
      return answer();
    };
    const key = { CLOUDFLARE_API_TOKEN: "", CLOUDFLARE_API_KEY: "a-key", CLOUDFLARE_EMAIL: "ada@example.com" };

    const { status, output } = await run("deploy", STAGING, { env: { ...env, ...key } });

    expect(status, output).toBe(0);
    expect([...logins]).toEqual(["a-key"]);
  });

  it("refuses an answer that it cannot read in a sentence", async ({ expect }) => {
    const { cloudflare, env } = await openAccount();
    cloudflare.intercept = ({ route, answer }) => (route === "GET /workers/subdomain" ? ok({ sub: 1 }) : answer());

    const { status, output } = await migrate(env);

    expect(status).toBe(1);
    expect(output).toMatch(
      /^Cloudflare answers GET \/workers\/subdomain in an unknown form:\n.*\n.*→ at subdomain\n$/m,
    );
  });
});

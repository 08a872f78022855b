import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it, vi } from "vitest";
import { readToken } from "../../src/auth/token.ts";
import { temporaryFolder } from "./clone.ts";
import { freePort, ROOT, startCommand, startProgram } from "./command.ts";
import { inProcess } from "./in-process.ts";
import { isInstalled, LANGUAGES } from "./languages.ts";

const SECRETS = { JWT_SECRET: "a-secret", FEED_JWT_SECRET: "a-secret-of-machines" };
const now = () => Date.now() / 1_000;

/** What the service reads from the token in a command's output. */
function read(output: string) {
  const [token = ""] = /^\S+\.\S+\.\S+$/m.exec(output) ?? [];
  return readToken(token, { ...SECRETS, keys: null }, now());
}

describe("a backend of examples/backend", () => {
  it.for(LANGUAGES)(
    "makes a token that the service accepts: $name",
    async ({ name, command, file: example, print }, { expect, skip }) => {
      skip(!isInstalled(command), `${name} is not installed: ${command} is missing.`);
      const code = readFileSync(path.join(ROOT, "examples", "backend", example), "utf8");
      const file = path.join(temporaryFolder(), example);
      writeFileSync(file, `${code}\n${print}\n`);

      const signing = startProgram(command, [file], { env: SECRETS });

      expect(await signing.ended, signing.output()).toBe(0);
      expect(await read(signing.output())).toMatchObject({ claims: { subject: "ada", scopes: ["customer"] } });
    },
  );
});

describe("a site with a session cookie, as examples/backend/session.mjs", () => {
  it("signs for whoever is logged in, and for nobody else", async ({ expect }) => {
    const port = String(await freePort());
    startProgram("node", ["examples/backend/session.mjs"], { env: { ...SECRETS, PORT: port } });
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(() => fetch(url), { timeout: 30_000 });

    const page = await fetch(url);
    const [cookie = ""] = page.headers.get("Set-Cookie")?.split(";") ?? [];
    const ask = (Cookie: string) => fetch(`${url}/loyalty-token`, { headers: { Cookie } });
    const answer = await ask(`theme=dark; ${cookie}`);
    const strangers = await Promise.all(["", "session=c1", `x${cookie}`, "session="].map(ask));

    expect(await read(await answer.text())).toMatchObject({ claims: { subject: "c1", scopes: ["customer"] } });
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(strangers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });
});

describe("npm run token", () => {
  it("signs with the secret of machines what is no customer's, with a name and a `jti` of its own", async ({
    expect,
  }) => {
    const sign = async (...args: string[]) => (await inProcess("token", args, { env: SECRETS })).output;
    const outputs = [
      await sign("feed", "165,166", "--name", "till-7"),
      await sign("export"),
      await sign("till", "--name", "till-3", "--stores", "s1, s2", "--accounts", "165"),
      await sign("restore"),
      await sign("customer", "ada"),
    ];

    const readings = await Promise.all(outputs.map(read));
    expect(
      readings.map((reading) => reading.outcome === "good" && [reading.claims.subject, ...reading.claims.scopes]),
    ).toEqual([
      ["till-7", "feed"],
      ["operator", "export"],
      ["till-3", "till"],
      ["operator", "feed", "restore"],
      ["ada", "customer"],
    ]);
    const ids = readings.map((reading) => reading.outcome === "good" && reading.claims.names[2]);
    expect(new Set(ids).size).toBe(outputs.length);
    for (const [index, id] of ids.entries()) expect(outputs[index]).toContain(`its jti is ${id}`);
  });

  it("signs with the secret of the environment, for an hour", async ({ expect }) => {
    const { output } = await inProcess("token", ["customer", "ada"], { env: SECRETS });

    expect(output).toContain("Signed with the secret of this terminal (JWT_SECRET)");
    const reading = await read(output);
    expect(reading).toMatchObject({ claims: { subject: "ada", scopes: ["customer"] } });
    expect(reading).toHaveProperty("claims.expires", expect.closeTo(now() + 3_600, -2));
  });

  it("prefers a secret from standard input to the secret of the environment, and refuses an empty one", async ({
    expect,
  }) => {
    const args = ["export", "--secret", "-", "--expires-in", "15m"];
    const signing = startCommand("token", args, {
      stdin: `${SECRETS.FEED_JWT_SECRET}\n`,
      env: { FEED_JWT_SECRET: "another" },
    });
    const withoutSecret = startCommand("token", args);

    expect([await signing.ended, await withoutSecret.ended]).toEqual([0, 1]);
    expect(signing.output()).toContain("Signed with the secret of standard input");
    const reading = await read(signing.output());
    expect(reading).toMatchObject({ claims: { scopes: ["export"], accounts: "*" } });
    expect(reading).toHaveProperty("claims.expires", expect.closeTo(now() + 900, -2));
    expect(await read(withoutSecret.output())).toEqual({ outcome: "bad", fault: "missing" });
  });
});

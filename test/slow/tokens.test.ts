import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
import { devSecret, devToken } from "../../scripts/lib/tokens.ts";
import { removeFolder } from "./clone.ts";
import { command, freePort, pressCtrlC, printed, ROOT, type Running, running } from "./command.ts";
import { inProcess } from "./in-process.ts";
import { isInstalled, LANGUAGES } from "./languages.ts";

const folder = mkdtempSync(path.join(tmpdir(), "loyalty-edge-tokens-"));
let service: Running;
let url = "";

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  service = command("start", ["--port", String(port), "--persist-to", path.join(folder, "state"), "--no-demo"]);
  await printed(service, "Ctrl-C stops it");
  const token = await devToken({ scope: "feed", accounts: "*" });
  const line = JSON.stringify({ record: "customer", id: "ada", first_name: "Ada", last_name: "Lovelace" });
  await call(`${url}/api/v1/feed`, { token, body: line });
});
afterAll(async () => {
  pressCtrlC(service);
  await service.ended;
  removeFolder(folder);
});

/** The status of a request, and which customer a search finds for the holder of the token. */
async function ask(token: string) {
  const { status, body } = await call(`${url}/api/v1/customer/full-search`, { token, body: '{"query":"lovelace"}' });
  return { status, found: body.items?.customers.map(({ id }: { id: string }) => id) };
}

const exportStatus = async (token: string) => (await call(`${url}/api/v1/feed`, { token })).status;

describe("a backend that signs for its customers", () => {
  it.for(LANGUAGES)("is let in: $name", async ({ name, command, file: example, print }, { expect, skip }) => {
    skip(!isInstalled(command), `${name} is not installed: ${command} is missing.`);
    const code = readFileSync(path.join(ROOT, "examples", "backend", example), "utf8");
    const file = path.join(folder, example);
    writeFileSync(file, `${code}\n${print}\n`);

    const signed = running(command, [file], { env: { JWT_SECRET: devSecret() } });
    const [status, token] = [await signed.ended, signed.output().trim()];

    expect(status, token).toBe(0);
    expect(await ask(token)).toEqual({ status: 200, found: ["ada"] });
    expect((await ask(`${token.slice(0, -4)}AAAA`)).status).toBe(401);
  });
});

describe("npm run token", () => {
  const WORDS = /^(\S+\.\S+\.\S+)$/m;
  async function sign(args: readonly string[], { env = {}, stdin = "" } = {}) {
    if (stdin === "" && !args.includes("-")) {
      const { status, output } = await inProcess("token", args, { env });
      return { status, output, token: WORDS.exec(output)?.[1] ?? "" };
    }
    const started = command("token", args, { env, stdin });
    const [status, output] = [await started.ended, started.output()];
    return { status, output, token: WORDS.exec(output)?.[1] ?? "" };
  }
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

  it("signs with the secret of the environment, for an hour", async ({ expect }) => {
    const { token, output } = await sign(["customer", "ada"], { env: { JWT_SECRET: devSecret() } });

    expect(await ask(token)).toEqual({ status: 200, found: ["ada"] });
    expect(output).toContain("Signed with the secret of this terminal (JWT_SECRET)");
    expect(claimsOf(token).exp - Date.now() / 1_000).toBeLessThanOrEqual(3_600);
    const wrong = await sign(["customer", "ada"], { env: { JWT_SECRET: "another" } });
    expect((await ask(wrong.token)).status).toBe(401);
  });

  it("signs with a secret from standard input, before one of the environment", async ({ expect }) => {
    const stdin = `${devSecret()}\n`;
    const args = ["export", "--secret", "-", "--expires-in", "15m"];

    const { token, output } = await sign(args, { stdin, env: { JWT_SECRET: "another" } });

    expect(await exportStatus(token)).toBe(200);
    expect(output).toContain("Signed with the secret of standard input");
    expect(claimsOf(token).exp - Date.now() / 1_000).toBeLessThanOrEqual(900);
  });

  it("takes no empty secret, and none on the command line", async ({ expect }) => {
    expect(await sign(["export", "--secret", "-"])).toMatchObject({ status: 1, token: "" });
    expect(await sign(["export", "--secret", "a-secret"])).toMatchObject({ status: 1, token: "" });
  });
});

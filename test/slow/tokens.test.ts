import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, it } from "vitest";
import { call } from "../../scripts/lib/call.ts";
import { devSecret, devToken } from "../../scripts/lib/tokens.ts";
import { temporaryFolder } from "./clone.ts";
import { command, ROOT, running } from "./command.ts";
import { inProcess } from "./in-process.ts";
import { isInstalled, LANGUAGES } from "./languages.ts";
import { startService } from "./service.ts";

const folder = temporaryFolder();
let url = "";

beforeAll(async () => {
  ({ url } = await startService(["--persist-to", path.join(folder, "state"), "--no-demo"]));
  const token = await devToken({ scope: "feed", accounts: "*" });
  const line = JSON.stringify({ record: "customer", id: "ada", first_name: "Ada", last_name: "Lovelace" });
  await call(`${url}/api/v1/feed`, { token, body: line });
});

/** The id of the customer to whom the service answers, or the status of a refusal. */
async function ask(token: string): Promise<string | number> {
  const { status, body } = await call(`${url}/api/v1/customer/me`, { token });
  return body.items?.id ?? status;
}

describe("a backend of examples/backend", () => {
  it.for(LANGUAGES)(
    "makes a token that the service accepts: $name",
    async ({ name, command, file: example, print }, { expect, skip }) => {
      skip(!isInstalled(command), `${name} is not installed: ${command} is missing.`);
      const code = readFileSync(path.join(ROOT, "examples", "backend", example), "utf8");
      const file = path.join(folder, example);
      writeFileSync(file, `${code}\n${print}\n`);

      const signed = running(command, [file], { env: { JWT_SECRET: devSecret() } });
      const [status, token] = [await signed.ended, signed.output().trim()];

      expect(status, token).toBe(0);
      expect(await ask(token)).toBe("ada");
      expect(await ask(`${token.slice(0, -4)}AAAA`)).toBe(401);
    },
  );
});

describe("npm run token", () => {
  const tokenIn = (output: string) => /^\S+\.\S+\.\S+$/m.exec(output)?.[0] ?? "";
  const secondsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).exp - Date.now() / 1_000;

  it("signs with the secret of the environment, for an hour", async ({ expect }) => {
    const sign = (JWT_SECRET: string) => inProcess("token", ["customer", "ada"], { env: { JWT_SECRET } });

    const { output } = await sign(devSecret());
    const wrong = await sign("another");

    expect(await ask(tokenIn(output))).toBe("ada");
    expect(output).toContain("Signed with the secret of this terminal (JWT_SECRET)");
    expect(secondsOf(tokenIn(output))).toBeLessThanOrEqual(3_600);
    expect(await ask(tokenIn(wrong.output))).toBe(401);
  });

  const ARGS = ["export", "--secret", "-", "--expires-in", "15m"];

  it("prefers a secret from standard input to the secret of the environment", async ({ expect }) => {
    const signing = command("token", ARGS, { stdin: `${devSecret()}\n`, env: { JWT_SECRET: "another" } });

    expect(await signing.ended).toBe(0);
    expect(signing.output()).toContain("Signed with the secret of standard input");
    const token = tokenIn(signing.output());
    expect(secondsOf(token)).toBeLessThanOrEqual(900);
    expect((await call(`${url}/api/v1/feed`, { token })).status).toBe(200);
  });

  it("refuses an empty secret", async ({ expect }) => {
    const signing = command("token", ARGS);

    expect(await signing.ended).toBe(1);
    expect(tokenIn(signing.output())).toBe("");
  });
});

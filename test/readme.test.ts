import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import readme from "../README.md?raw";
import { demoLines } from "../scripts/program/program.ts";
import { type Answer, mustFeed, send } from "./support/api.ts";
import { customerToken } from "./support/tokens.ts";

// The README's lines of curl with the answers that it prints, run against the demo program.

const EXAMPLE = /```sh\n(curl [\s\S]*?)\n```\n+```json\n([\s\S]*?)\n```/g;
const examples = [...readme.matchAll(EXAMPLE)].map(([, command = "", answer = ""]) => ({ command, answer }));

async function run(command: string): Promise<Answer> {
  const path = /https?:\/\/[^/\s]+(\/[^\s"']*)/.exec(command)?.[1] ?? "";
  const body = /-d '([^']*)'/.exec(command)?.[1];
  const headers = { Authorization: `Bearer ${await customerToken("c1")}` };
  return send(path, body === undefined ? { headers } : { method: "POST", headers, body });
}

beforeAll(async () => {
  await mustFeed(demoLines());
});

describe("the README", () => {
  it("has lines of curl with answers", ({ expect }) => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.for(examples)("prints what the service answers to $command", async ({ command, answer }, { expect }) => {
    expect((await run(command)).body).toEqual(JSON.parse(answer));
  });
});

describe("the demo program", () => {
  it("is the same every time, about 20 chains, 2,000 stores and 500 customers", async ({ expect }) => {
    const count = async (table: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n");

    expect(JSON.stringify(demoLines())).toBe(JSON.stringify(demoLines()));
    expect(await count("accounts")).toBe(20);
    expect(await count("stores")).toBe(2_000);
    expect(await count("customers")).toBe(500);
  });
});

import { beforeAll, describe, it } from "vitest";
import readme from "../README.md?raw";
import { demoLines } from "../scripts/program/program.ts";
import { type Answer, mustFeed, send } from "./support/api.ts";
import { customerToken } from "./support/tokens.ts";

// Sends the curl commands of the README to a service with the demo program.

const EXAMPLE = /```sh\n(curl [\s\S]*?)\n```\n+```json\n([\s\S]*?)\n```/g;
const examples = [...readme.matchAll(EXAMPLE)].map(([, command = "", answer = ""]) => ({ command, answer }));

async function run(command: string): Promise<Answer> {
  const path = /https?:\/\/[^/\s]+(\/[^\s"']*)/.exec(command)?.[1] ?? "";
  const body = /-d '([^']*)'/.exec(command)?.[1];
  const headers = { Authorization: `Bearer ${await customerToken("c1")}` };
  return send(path, body === undefined ? { headers } : { method: "POST", headers, body });
}

beforeAll(() => mustFeed(demoLines()));

describe("the README", () => {
  it("has two curl commands or more with their answers", ({ expect }) => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.for(examples)("prints what the service answers to $command", async ({ command, answer }, { expect }) => {
    expect((await run(command)).body).toEqual(JSON.parse(answer));
  });
});

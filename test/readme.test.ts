import { beforeAll, describe, it } from "vitest";
import readme from "../README.md?raw";
import { demoLines } from "../scripts/program/program.ts";
import { mustFeed } from "./support/api.ts";
import { sendCurl } from "./support/curl.ts";
import { customerToken } from "./support/tokens.ts";

// Sends the curl commands of the README to a service with the demo program.

const EXAMPLE = /```sh\n(curl [\s\S]*?)\n```\n+```json\n([\s\S]*?)\n```/g;
const examples = [...readme.matchAll(EXAMPLE)].map(([, command = "", answer = ""]) => ({ command, answer }));

beforeAll(() => mustFeed(demoLines()));

describe("the README", () => {
  it("has two curl commands or more with their answers", ({ expect }) => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.for(examples)("prints what the service answers to $command", async ({ command, answer }, { expect }) => {
    expect((await sendCurl(command, await customerToken("c1"))).body).toEqual(JSON.parse(answer));
  });
});

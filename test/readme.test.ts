import { beforeAll, describe, it } from "vitest";
import readme from "../README.md?raw";
import { demoLines, programLines } from "../scripts/program/program.ts";
import { benchSize } from "../scripts/program/shape.ts";
import { KINDS } from "../src/feed/records/index.ts";
import { type Answer, mustFeed, send } from "./support/api.ts";
import { customerToken } from "./support/tokens.ts";

// The curl commands of the README and the answers that it prints, for the demo program.

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
  it("has curl commands with answers", ({ expect }) => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.for(examples)("prints what the service answers to $command", async ({ command, answer }, { expect }) => {
    expect((await run(command)).body).toEqual(JSON.parse(answer));
  });
});

describe("a program", () => {
  it.for([
    ["for the benchmark", [...programLines(benchSize(3_000))]],
    ["for the demo", demoLines()],
  ] as const)("%s has every kind of record, and no record twice", ([, lines], { expect }) => {
    const keys = lines.map((line) => {
      const { keyFields = [] } = KINDS.find(({ record }) => record === line.record) ?? {};
      return JSON.stringify([line.record, ...keyFields.map((field) => line[field])]);
    });

    expect(new Set(lines.map(({ record }) => record))).toEqual(new Set(KINDS.map(({ record }) => record)));
    expect(new Set(keys).size).toBe(lines.length);
  });

  it("for the demo is the same every time, with 20 chains, 2,000 stores and 500 customers", ({ expect }) => {
    const lines = demoLines();
    const count = (kind: string) => lines.filter(({ record }) => record === kind).length;

    expect(JSON.stringify(demoLines())).toBe(JSON.stringify(lines));
    expect([count("account"), count("store"), count("customer")]).toEqual([20, 2_000, 500]);
  });
});

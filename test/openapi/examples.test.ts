import { it } from "vitest";
import { demoLines } from "../../scripts/program/program.ts";
import type { Example } from "../../src/openapi/notes.ts";
import { OPERATIONS } from "../../src/reference.ts";
import { mustFeed, send } from "../support/api.ts";
import { customerToken, exportToken, feedToken, tillToken } from "../support/tokens.ts";

it("records the answers of the demo program to the reference's examples (again with -u)", async ({ expect }) => {
  await mustFeed(demoLines());

  const answers: Record<string, Record<string, unknown>> = {};
  for (const [endpoint, { id, examples }] of Object.entries(OPERATIONS)) {
    for (const { summary, answer, ...example } of examples) {
      // Examples of the socket have their answers in the code: test/live tests them.
      if (answer === undefined) answers[id] = { ...answers[id], [summary]: await ask(endpoint, example) };
    }
  }

  const text = `${JSON.stringify(answers, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../src/openapi/examples.json");
});

async function ask(endpoint: string, { path, query, body }: Omit<Example, "summary">): Promise<unknown> {
  const [method = "", route = ""] = endpoint.split(" ");
  const filledPath = route.replace(/:(\w+)/g, (_, name: string) => path?.[name] ?? "");
  const answer = await send(`${filledPath}?${new URLSearchParams(query)}`, {
    method,
    headers: { Authorization: `Bearer ${await tokenFor(endpoint)}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.status !== 200) throw new Error(`refused: ${JSON.stringify(answer.body)}`);
  // An export is an array of lines: the first is enough.
  return Array.isArray(answer.body) ? answer.body[0] : withShortLists(answer.body);
}

function tokenFor(endpoint: string): Promise<string> {
  if (endpoint === "POST /api/v1/feed") return feedToken("*");
  if (endpoint === "GET /api/v1/feed") return exportToken();
  return endpoint.includes("/api/v1/till/") ? tillToken() : customerToken("c1");
}

/** The answer with only the first two items of each list. */
function withShortLists(answer: object): object {
  const shorten = (name: string, value: unknown) => {
    if (Array.isArray(value)) return value.slice(0, 2);
    return name === "items" ? withShortLists(value as object) : value;
  };
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, shorten(name, value)]));
}

import { exports } from "cloudflare:workers";
import { describe, it } from "vitest";
import { type MakeSection, SECTIONS } from "../../scripts/conform/sections/index.ts";
import type { Sockets } from "../../scripts/conform/socket.ts";
import type { Suite } from "../../scripts/conform/suite.ts";
import { BREAKS, type Break } from "./breaks.ts";
import { sockets, suiteInWorkerd } from "./sections.ts";

/** A `fetch` that sends requests to the Worker, and changes them and their answers so that a rule is broken. */
function breakingFetch(change: Break): typeof fetch {
  return async (input, options) => {
    const request = new Request(input, options);
    const { origin, pathname, search } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    const passing = { method: request.method, path: pathname + search, headers, body: await request.text() };
    change.request?.(passing);
    const init = { method: passing.method, headers, body: passing.body || null };
    const response = await exports.default.fetch(new Request(origin + passing.path, init));
    const text = await new Response(response.body).text();
    const answer = { status: response.status, headers: Object.fromEntries(response.headers), body: text };
    change.answer?.(answer, passing);
    return new Response(answer.body || null, { status: answer.status, headers: answer.headers });
  };
}

function breakingSockets({ frame = (text) => text }: Break): Sockets {
  const connect: Sockets["connect"] = async (address, protocols) => {
    const socket = await sockets.connect(address, protocols);
    const addListener = socket.addEventListener.bind(socket);
    socket.addEventListener = ((type: "message", listener: (event: { data: unknown }) => void) => {
      addListener(type, (event) => {
        const data = type === "message" ? frame(String(event.data)) : null;
        if (type !== "message") listener(event);
        else if (data !== null) listener({ data });
      });
    }) as typeof socket.addEventListener;
    return socket;
  };
  return { ...sockets, connect };
}

/** Checks the rules whose sentence contains these words. */
async function checkRulesWith(words: string, suite: Suite, makeSection: MakeSection): Promise<void> {
  const { lines = [], rulesWithoutFeeding, rulesWithFeeding } = await makeSection(suite);
  if (lines.length > 0) await suite.feed(...lines);
  const rules = Object.entries({ ...rulesWithoutFeeding, ...rulesWithFeeding }).filter(([rule]) =>
    rule.includes(words),
  );
  for (const [rule, check] of rules) await check(rule);
}

const sections = await Promise.all(
  SECTIONS.map(async (makeSection) => {
    const { section, rulesWithoutFeeding, rulesWithFeeding } = await makeSection(suiteInWorkerd());
    const rules = Object.keys({ ...rulesWithoutFeeding, ...rulesWithFeeding }).join("\n");
    return { name: section, makeSection, rules };
  }),
);

describe.concurrent("a service that breaks a rule of the contract", () => {
  it.for(Object.entries(BREAKS))("is found: %s", async ([words, { section, ...change }], { expect }) => {
    const makeSection = sections.find(({ name, rules }) => name === section && rules.includes(words))?.makeSection;
    if (makeSection === undefined) throw new Error(`There is no rule ${words}`);

    await checkRulesWith(words, suiteInWorkerd(), makeSection);
    const brokenSuite = suiteInWorkerd({}, breakingFetch(change), breakingSockets(change));
    const check = checkRulesWith(words, brokenSuite, makeSection);

    await expect(check).rejects.toThrow();
  });
});

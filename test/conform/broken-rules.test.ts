import { exports } from "cloudflare:workers";
import { describe, it } from "vitest";
import { type MakeSection, SECTIONS } from "../../scripts/conform/sections/index.ts";
import type { Sockets } from "../../scripts/conform/socket.ts";
import type { Suite } from "../../scripts/conform/suite.ts";
import { BREAKS, type Break } from "./breaks.ts";
import { sockets, suiteInWorkerd } from "./sections.ts";

/** Sends requests to the Worker, and breaks a rule on the way. */
function breaking(broken: Break): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin, pathname, search } = new URL(request.url);
    const headers = Object.fromEntries(request.headers);
    const asked = { method: request.method, path: pathname + search, headers, body: await request.text() };
    broken.request?.(asked);
    const changed = { method: asked.method, headers, body: asked.body || null };
    const response = await exports.default.fetch(new Request(origin + asked.path, changed));
    const text = await new Response(response.body).text();
    const answer = { status: response.status, headers: Object.fromEntries(response.headers), body: text };
    broken.answer?.(answer, asked);
    return new Response(answer.body || null, { status: answer.status, headers: answer.headers });
  };
}

function breakingSockets({ frame = (text) => text }: Break): Sockets {
  const connect: Sockets["connect"] = async (address, protocols) => {
    const socket = await sockets.connect(address, protocols);
    const add = socket.addEventListener.bind(socket);
    socket.addEventListener = ((type: "message", listener: (event: { data: unknown }) => void) => {
      add(type, (event) => {
        const data = type === "message" ? frame(String(event.data)) : null;
        if (type !== "message") listener(event);
        else if (data !== null) listener({ data });
      });
    }) as typeof socket.addEventListener;
    return socket;
  };
  return { ...sockets, connect };
}

async function checkRulesWith(words: string, suite: Suite, make: MakeSection): Promise<void> {
  const { lines = [], reads, feeds } = await make(suite);
  if (lines.length > 0) await suite.feed(...lines);
  const rules = Object.entries({ ...reads, ...feeds }).filter(([rule]) => rule.includes(words));
  for (const [rule, check] of rules) await check(rule);
}

const sections = await Promise.all(
  SECTIONS.map(async (make) => {
    const { cited, reads, feeds } = await make(suiteInWorkerd());
    return { cited, make, rules: Object.keys({ ...reads, ...feeds }).join("\n") };
  }),
);

describe.concurrent("a service that breaks a rule of the contract", () => {
  it.for(Object.entries(BREAKS))("is found: %s", async ([words, { section, ...broken }], { expect }) => {
    const make = sections.find(({ cited, rules }) => cited === section && rules.includes(words))?.make;
    if (make === undefined) throw new Error(`There is no rule ${words}`);

    await checkRulesWith(words, suiteInWorkerd(), make);
    const found = checkRulesWith(words, suiteInWorkerd({}, breaking(broken), breakingSockets(broken)), make);

    await expect(found).rejects.toThrow();
  });
});

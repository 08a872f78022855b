import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { Http } from "../../scripts/conform/http.ts";
import type { MakeSection } from "../../scripts/conform/sections/index.ts";
import type { Sockets } from "../../scripts/conform/socket.ts";
import { type Settings, Suite } from "../../scripts/conform/suite.ts";
import { Tokens } from "../../scripts/conform/tokens.ts";
import { toAnswer } from "../../scripts/lib/call.ts";
import { handshake } from "../support/live.ts";
import { document, fitDocument } from "../support/openapi.ts";

const SETTINGS: Settings = { nearbyRadiusMiles: 25, customerSearch: "all", anyOrigin: false };

/** Sends a request to the Worker under test. Throws if the answer does not fit the OpenAPI document. */
const ask: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { method } = request;
  const path = new URL(request.url).pathname;
  // Cloudflare serves the document as an asset, so the Worker has no route for it.
  if (path === "/openapi.json") return Response.json(document);
  const response = await exports.default.fetch(request);
  if (method !== "HEAD" && method !== "OPTIONS") fitDocument({ method, path }, await toAnswer(response.clone()));
  return response;
};

const sockets: Sockets = {
  handshake: async (address, headers) => {
    const answer = await handshake(headers, address);
    const { status, webSocket } = answer;
    webSocket?.accept();
    webSocket?.close();
    return { status, headers: answer.headers, text: await answer.text() };
  },
  connect: async (address, protocols) => {
    const headers = { "Sec-WebSocket-Protocol": protocols.join(", ") };
    const { status, webSocket } = await handshake(headers, address.replace(/^ws/, "http"));
    if (webSocket === null) throw new Error(`no socket: ${status}`);
    // Accept the socket later, so that no frame comes before the caller has added its listeners.
    queueMicrotask(() => {
      webSocket.accept();
    });
    return webSocket;
  },
};

/** A suite whose requests go to the Worker under test. */
export function suiteInWorkerd(settings: Partial<Settings> = {}): Suite {
  return new Suite({
    http: new Http("https://loyalty.example", new AbortController().signal, ask),
    tokens: new Tokens({ secrets: env, claims: {} }),
    sockets,
    settings: { ...SETTINGS, ...settings },
    mayFeed: true,
  });
}

/** Makes a test for each rule of these sections. The test's name is the rule's title. */
export async function testSections(sections: readonly MakeSection[], settings: Partial<Settings> = {}): Promise<void> {
  for (const makeSection of sections) {
    const suite = suiteInWorkerd(settings);
    const { name, lines, rules } = await makeSection(suite);
    describe(name, () => {
      beforeAll(async () => {
        if (lines.length > 0) await suite.feed(...lines);
      });
      for (const { title, check } of rules) it(title, check);
    });
  }
}

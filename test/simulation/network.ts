import { linkOf } from "../../scripts/lib/call.ts";
import type { Random } from "../../scripts/program/random.ts";
import type { Row } from "../model/kinds.ts";
import type { Answer, Call, DatabaseRead, Method } from "./calls.ts";
import type { SentRequest } from "./platform/invocation.ts";
import { AppSocket } from "./platform/sockets.ts";
import type { Instance } from "./platform/sqlite.ts";
import type { Rules } from "./rules/rules.ts";
import { signToken } from "./settings.ts";
import type { Location, World } from "./world.ts";

const ORIGIN = "https://loyalty.example";
const TOKEN_SECONDS = 900;

/** The network between the actors and the service. */
export class Network {
  readonly #world: World;
  readonly #rules: Rules;
  readonly #random: Random;

  constructor(world: World, rules: Rules) {
    this.#world = world;
    this.#rules = rules;
    this.#random = world.random("network");
  }

  /**
   * Sends a request, and resolves with its answer.
   * @throws if the request or the answer is lost.
   */
  async send(call: Call): Promise<Answer> {
    const { time, weather } = this.#world;
    const random = this.#random;
    this.#world.step(`${call.location} ${call.method ?? "GET"} ${call.path} ${call.body ?? ""}`);
    await time.wait(weather.happens("a request is late") ? random.integer(200, 8_000) : random.integer(1, 60));
    if (weather.happens("a request is lost")) return this.#lose();
    const isTwice = weather.happens("a request comes twice");
    const [answer, second = answer] = await Promise.all([
      this.#deliver(call),
      isTwice ? this.#deliver(call) : undefined,
    ]);
    // No proxy may repeat a POST (RFC 9110, 9.2.2). So its sender knows of the copy, and trusts no refusal that it does not share.
    const isDoubtful = call.method === "POST" && answer.status >= 400 && second.status !== answer.status;
    if (isDoubtful || weather.happens("an answer is lost")) return this.#lose();
    await time.wait(random.integer(1, 60));
    return answer;
  }

  /** The global `fetch` of an app or a till. */
  fetchFor(location: Location, caller: Pick<Call, "customer" | "till">): typeof fetch {
    return async (input, init) => {
      const url = new URL(String(input));
      const sending = this.send({
        location,
        ...caller,
        method: (init?.method ?? "GET") as Method,
        path: url.pathname + url.search,
        headers: Object.fromEntries(new Headers(init?.headers)),
        ...(typeof init?.body === "string" ? { body: init.body } : {}),
      });
      const { status, headers, body } = await sending;
      return new Response(body, { status, headers });
    };
  }

  /** The global `WebSocket` of an app. */
  socketsFor(location: Location, onSocket: (socket: AppSocket) => void) {
    const open = async (url: string, protocols: string[]) => {
      const { pathname } = new URL(url);
      const headers = { Upgrade: "websocket", "Sec-WebSocket-Protocol": protocols.join(", ") };
      return (await this.send({ location, path: pathname, headers })).socket;
    };
    return class extends AppSocket {
      constructor(url: string, protocols: string[]) {
        super(open(url, protocols));
        onSocket(this);
      }
    };
  }

  async #deliver(call: Call): Promise<Answer> {
    const headers = { ...this.#tokenOf(call), ...call.headers };
    const init = { method: call.method ?? "GET", headers, ...(call.body !== undefined && { body: call.body }) };
    const { path, customer, body, method = "GET" } = call;
    const lines = path === "/api/v1/feed" ? body : undefined;
    const sentRequest: SentRequest = { method, path, customer, body, lines, hasVersion: false, committed: null };
    const poll = this.#rules.messages.begin(call);
    const feed = this.#rules.retention.begin(call);
    const reads: DatabaseRead[] = [];
    const noteRead = (copy: Instance) => reads.push(this.#rules.model.readFrom(copy));
    const request = new Request(ORIGIN + call.path, init);
    const sentAt = this.#world.time.now;
    const answered = await this.#world.isolateAt(call.location).fetch(request, sentRequest, noteRead);
    const isJson = answered.headers.get("Content-Type")?.startsWith("application/json") ?? false;
    const answer = { ...answered, json: isJson ? JSON.parse(answered.body) : null, reads };
    this.#world.log(`${answer.status} ${answer.body}`);
    this.#rules.checkAnswer(call, answer, { poll, feed, committed: sentRequest.committed, sentAt });
    if (answer.socket !== null) answer.socket.onArrival = (text) => this.#rules.messages.checkFrame(text);
    return answer;
  }

  #tokenOf({ customer, scope, headers }: Call): Record<string, string> {
    // The client has set its own token.
    if (headers?.authorization !== undefined) return {};
    if (customer !== undefined) return { Authorization: `Bearer ${customerToken(this.#world, customer)}` };
    if (scope === undefined) return {};
    const claims = { scope, sub: "system", accounts: "*" };
    return { Authorization: `Bearer ${signToken(claims, { now: this.#world.time.now, seconds: TOKEN_SECONDS })}` };
  }

  async #lose(): Promise<never> {
    await this.#world.time.wait(this.#random.integer(0, 10_000));
    throw new Error("Network connection lost.");
  }
}

/** A request that feeds these lines. */
export function feedCall(location: Location, lines: readonly Row[]): Call {
  const body = lines.map((line) => JSON.stringify(line)).join("\n");
  return { location, method: "POST", path: "/api/v1/feed", scope: "feed", body };
}

/** The path of the next page, from the header `Link`. */
export function nextPath({ headers }: Answer): string | null {
  const address = linkOf({ headers });
  if (address === undefined) return null;
  const { pathname, search } = new URL(address);
  return pathname + search;
}

export function tillToken({ time }: World, name: string): string {
  return signToken({ scope: "till", sub: name, accounts: "*" }, { now: time.now, seconds: TOKEN_SECONDS });
}

export function customerToken({ time }: World, customerId: string): string {
  return signToken({ scope: "customer", sub: customerId }, { now: time.now, seconds: TOKEN_SECONDS });
}

import { decodeUtf8, encodeUtf8, parseObject } from "../../src/values/json.ts";
import { Model } from "../model/model.ts";
import { PARAMETERS } from "../model/parameters.ts";
import { type Answer, type FeedLine, ndjson } from "../support/api.ts";
import { differenceOf, seenAs } from "../support/compare.ts";
import { type FuzzedRequest, NOW } from "./requests.ts";

/** Compares the answers to fuzzed requests with the model of the contract. */
export class Judge {
  readonly #model = new Model();
  readonly #judgesSearches: boolean;
  /** How many answers were compared. */
  count = 0;

  constructor({ judgesSearches }: { judgesSearches: boolean }) {
    this.#judgesSearches = judgesSearches;
  }

  /** Feeds the first lines to the model. */
  take(lines: readonly FeedLine[]): void {
    this.#model.feed(valuesOf(ndjson(lines)), { now: NOW });
  }

  /** How the answer differs from the model's; null if it does not, or if the model cannot answer such a request. */
  differenceFrom(request: FuzzedRequest, answer: Answer): string | null {
    const [expected, seen] = this.#expected(request, answer) ?? [];
    if (expected === undefined) return null;
    this.count += 1;
    return differenceOf(seen, expected);
  }

  #expected({ method, path, target, body, claims }: FuzzedRequest, answer: Answer) {
    const { status } = answer;
    if (![200, 403, 404, 422].includes(status) || claims === null || method === "HEAD") return undefined;
    if (claims.scope === "feed" && method === "POST" && target === "/api/v1/feed") {
      const lines = valuesOf(body);
      const expected = this.#model.feed(lines, { now: NOW, accounts: claims.accounts ?? "*" });
      return [expected, seenAs(expected, answer)] as const;
    }
    if (!URL.canParse(target, "https://any.example")) return undefined;
    const { pathname, searchParams } = new URL(target, "https://any.example");
    // Skip paths without a route, and ids with control characters or that are not UTF-8.
    if (/\/\/|%[01]/.test(pathname) || !isDecodable(pathname)) return undefined;
    const hasPathOfEndpoint =
      pathname.split("/").length === path.split("/").length && target.split("?")[0] === pathname;
    const end = path.split("/").at(-1) ?? "";
    const isSearch = end === "full-search" && !this.#judgesSearches;
    const isKnown =
      hasPathOfEndpoint && !isSearch && end in PARAMETERS && pathname.endsWith(`/${end}`) && !searchParams.has("after");
    // A POST without a body has no parameters.
    const sent = method === "POST" && !body?.length ? "{}" : body;
    const parameters = sent === null ? undefined : parseObject(decodeUtf8(bytesOf(sent)) ?? "");
    if (claims.scope !== "customer" || !pathname.startsWith("/api/v1/customer/") || !isKnown || parameters === null)
      return undefined;
    const call = { method: parameters === undefined ? "GET" : "POST", path: target, body: parameters } as const;
    const expected = this.#model.ask(claims.sub, call, NOW);
    return [expected, seenAs(expected, answer)] as const;
  }
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}

/** The bytes that are sent. Half of a surrogate pair becomes U+FFFD. */
function bytesOf(body: FuzzedRequest["body"]): Uint8Array {
  return typeof body === "string" ? encodeUtf8(body) : (body ?? new Uint8Array());
}

/** The value of each line; undefined for a blank line, null for one that is no JSON object or not UTF-8. */
function valuesOf(body: FuzzedRequest["body"]): unknown[] {
  // Make one character of each byte, so that each line can be decoded alone.
  const lines = Array.from(bytesOf(body), (byte) => String.fromCharCode(byte))
    .join("")
    .split("\n");
  return lines.map((line) => {
    const text = decodeUtf8(Uint8Array.from(line, (character) => character.charCodeAt(0)));
    if (text === null) return null;
    return text.trim() === "" ? undefined : parseObject(text);
  });
}

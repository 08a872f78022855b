import fc from "fast-check";
import { inject } from "vitest";
import { Random } from "../../scripts/program/random.ts";
import { app } from "../../src/app.ts";
import { PARAMETERS } from "../model/parameters.ts";
import { RandomProgram } from "../programs/random-program.ts";
import { FEW_FAULTS, LARGE } from "../programs/shapes.ts";
import { HOSTILE_QUERIES } from "../support/hostile-words.ts";
import { hostileText, hostileValue, toHostileJson, withDamage, withHostileFields } from "./hostile.ts";

/** The time of D1's clock, which is stopped. */
export const NOW = "2026-11-20 12:00:01";

/** The program that the requests are about. */
export const program = new RandomProgram(new Random(`fuzz ${inject("fuzz").seed}`), "full-search", LARGE, FEW_FAULTS);

/** Calls `make` for each run. fast-check cannot shrink its values. */
export const fromEachCall = <Value>(make: () => Value): fc.Arbitrary<Value> => fc.constant(null).map(make);

/** A request without its token. */
export interface FuzzedRequest {
  method: string;
  /** The endpoint's path in the OpenAPI document. */
  path: string;
  /** The path and query that are sent. */
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
  /** The claims of the token; null: the token is broken. */
  claims: { scope: string; sub: string; accounts?: readonly string[] | "*" } | null;
}

/** The paths of all endpoints. */
export const PATHS = [...new Set(app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path))];

export const customerClaims = (sub: string) => ({ scope: "customer", sub });
/** The claims of a system that feeds, restores, exports or looks customers up. */
export const systemClaims = (scope: string, accounts: readonly string[] | "*" = "*") => ({
  scope,
  sub: "tests",
  accounts,
});

const anyClaims = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...program.idsOf("customer")).map(customerClaims) },
  { weight: 1, arbitrary: fc.constantFrom("feed", "till").map((scope) => systemClaims(scope)) },
  { weight: 3, arbitrary: fc.constant(systemClaims("export")) },
  { weight: 1, arbitrary: fc.constant(null) },
);

const HEADER_NAMES =
  "Accept Content-Type X-D1-Bookmark Origin Range If-None-Match Content-Encoding Cookie X-Forwarded-For X-HTTP-Method-Override";
const HEADER_VALUES = [
  ...["", "*", "text/plain", "multipart/form-data", "application/json; charset=utf-16", "gzip", "DELETE", "bytes=0-1"],
  ...["0".repeat(5_000), "first-primary", "https://evil.example"],
  "00000001-00000002-00000003-0123456789abcdef0123456789abcdef",
  "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff",
];

/** Headers that the service, or a library of it, may read. */
export const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom(...HEADER_NAMES.split(" ")), fc.constantFrom(...HEADER_VALUES), {
      maxKeys: 3,
    }),
  },
);

/** A body that is nothing like a body of this service. */
const strangeBody: fc.Arbitrary<FuzzedRequest["body"]> = fc.oneof(
  hostileValue.map(toHostileJson),
  hostileText,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
  fc.constantFrom("[", "{", '{"a":', "[".repeat(30_000), '{"a":'.repeat(10_000), "{}{}", "x".repeat(65_537)),
  fc.constantFrom(
    `{"latitude":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
    `{${Array.from({ length: 5_000 }, (_, number) => `"k${number}":1`).join()}}`,
    `{"query":"${"a ".repeat(32_000)}"}`,
  ),
);

/** Replaces halves of surrogate pairs first, because `encodeURIComponent` throws on them. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function toQuery(object: Record<string, unknown>): string {
  const pairs = Object.entries(object).flatMap(([name, value]) =>
    [value].flat().map((item) => `${encoded(name)}=${encoded(toText(item))}`),
  );
  return pairs.join("&");
}

function toText(value: unknown): string {
  return typeof value === "object" || value === undefined ? String(JSON.stringify(value)) : String(value);
}

const strangeQuery = fc.oneof(
  fc.dictionary(hostileText, hostileText, { maxKeys: 5 }).map(toQuery),
  fc.constantFrom("%", "%ff=%ff", "&&&===", "page", "page=1&page=2", "storeId", "a[]=1&a[b]=2", "?page=1", "page=1;x"),
  fc.constantFrom("storeId=a&".repeat(1_000), `storeId=${"a,".repeat(4_000)}`, `${"k=v&".repeat(3_000)}`),
);

const strangeSegment = fc.oneof(
  hostileText.map(encoded),
  fc.constantFrom("%ff", "%", "%c0%ae%c0%ae", "%ed%a0%80", "a%2fb", ";x=1", "%252e", " ", "*", ":id", "\\", "%00"),
);

/** A request of somebody who uses the service well. */
export interface GoodRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  /** The id in the path; by default that of a store. */
  id?: string;
  parameters: Record<string, unknown>;
  /** The names of the parameters that the endpoint has. */
  names: readonly string[];
  claims: FuzzedRequest["claims"];
}

const customerRequests = fromEachCall((): GoodRequest => {
  const { caller, call } = program.call(NOW);
  const { pathname, searchParams } = new URL(call.path, "https://any.example");
  return {
    method: call.method,
    path: pathname.replace(/stores\/[^/]+/, "stores/:id"),
    parameters: { ...(call.body ?? Object.fromEntries(searchParams)) },
    names: (PARAMETERS[pathname.split("/").at(-1) ?? ""] ?? []).map(({ name }) => name),
    claims: customerClaims(caller),
  };
});

const systemRequests = fc.constantFrom<GoodRequest>(
  {
    method: "GET",
    path: "/api/v1/feed",
    names: ["record", "customer_id", "request"],
    claims: systemClaims("export"),
    parameters: { record: "store,message", customer_id: program.idsOf("customer")[0] },
  },
  {
    method: "GET",
    path: "/api/v1/feed/requests",
    names: ["from", "to", "subject"],
    claims: systemClaims("export"),
    parameters: { from: "2026-01-01", subject: "fuzz" },
  },
  {
    method: "GET",
    path: "/api/v1/feed/changes",
    names: [],
    claims: systemClaims("export"),
    parameters: { after: "first" },
  },
  {
    method: "POST",
    path: "/api/v1/till/customers/find",
    names: ["scan_id"],
    claims: systemClaims("till"),
    parameters: { scan_id: "1" },
  },
);

/** The request, or one with hostile parameters, other claims, another method or a strange path. */
export function spoilRequest({
  method,
  path,
  id: goodId,
  parameters,
  names,
  claims,
}: GoodRequest): fc.Arbitrary<FuzzedRequest> {
  const hostileQuery = fc.constantFrom(...Object.values(HOSTILE_QUERIES)).map((query) => ({ ...parameters, query }));
  const sentParameters = fc.oneof(
    { weight: 4, arbitrary: fc.constant(parameters) },
    { weight: 5, arbitrary: withHostileFields(parameters, [...names, "after"]) },
    { weight: names.includes("query") ? 4 : 0, arbitrary: hostileQuery },
  );
  const ids = goodId === undefined ? program.idsOf("store") : [goodId];
  const store = fc.constantFrom(...ids).map(encoded);
  const target = fc.record({
    id: fc.oneof({ weight: 4, arbitrary: store }, { weight: 1, arbitrary: strangeSegment }),
    query: fc.oneof(
      { weight: 8, arbitrary: method === "GET" ? sentParameters.map(toQuery) : store.map((id) => `location_id=${id}`) },
      { weight: 1, arbitrary: strangeQuery },
    ),
  });
  return fc.record({
    path: fc.constant(path),
    method: fc.oneof({ weight: 12, arbitrary: fc.constant(method) }, fc.constantFrom("GET", "POST", "HEAD", "PUT")),
    target: target.map(({ id, query }) => `${path.replace(/:\w+/, () => id)}?${query}`),
    headers,
    body: method === "GET" ? fc.constant(null) : sentParameters.map(toHostileJson).chain(bodyOf),
    claims: fc.oneof(fc.constant(claims), anyClaims),
  });
}

function bodyOf(json: string): fc.Arbitrary<FuzzedRequest["body"]> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(json) },
    { weight: 1, arbitrary: withDamage(json) },
    { weight: 1, arbitrary: strangeBody },
  );
}

/** A request to a path similar to an endpoint's, with any method and body. */
const strangeRequest = fc.constantFrom(...PATHS, "/").chain((path) =>
  fc.record({
    path: fc.constant(path),
    method: fc.constantFrom("GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"),
    target: strangeSegment.chain((segment) =>
      fc.constantFrom(
        path,
        `${path}/`,
        `/${path}`,
        `${path}/${segment}`,
        `${path}%2f`,
        path.toUpperCase(),
        path.replace("customer", "%63ustomer"),
        path.replace("/api", "/api/./api/.."),
        path.replace(/[^/]+$/, segment),
        `${path}?${segment}`,
        `/${segment}`,
      ),
    ),
    headers,
    body: fc.oneof(fc.constant(null), strangeBody),
    claims: anyClaims,
  }),
);

/** Any request but those that feed. */
export const anyRequest: fc.Arbitrary<FuzzedRequest> = fc
  .oneof(
    { weight: 1, arbitrary: strangeRequest },
    { weight: 6, arbitrary: systemRequests.chain(spoilRequest) },
    { weight: 27, arbitrary: customerRequests.chain(spoilRequest) },
  )
  .map((request) => (["GET", "HEAD"].includes(request.method) ? { ...request, body: null } : request));

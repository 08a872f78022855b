import fc from "fast-check";
import type * as z from "zod";
import { NearbyCampaignsBody } from "../../src/customer/campaigns/routes.ts";
import { CouponsQuery, MyCouponsQuery } from "../../src/customer/coupons/routes.ts";
import { LeaderboardParameters } from "../../src/customer/gamification/routes.ts";
import { EntriesQuery } from "../../src/customer/me/entries/routes.ts";
import { MessagesQuery } from "../../src/customer/messages/routes.ts";
import { FullSearchBody } from "../../src/customer/search/schema.ts";
import { TeamQuery } from "../../src/customer/stores/routes.ts";
import { LookupQuery } from "../../src/feed/customers/routes.ts";
import { ExportQuery } from "../../src/feed/schema.ts";
import { fitting, nearly } from "./fitting.ts";
import { damaged, hostileText, hostileValue, toHostileJson } from "./hostile.ts";
import { CALLERS, plausible } from "./world.ts";

/** A request without its token. */
export interface FuzzedRequest {
  method: string;
  /** The endpoint's path in the OpenAPI document. */
  path: string;
  /** The path and query that are sent. */
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
  /** The bearer of the token; null: the token is broken. */
  caller:
    | { customer: string }
    | { accounts: readonly string[] | "*"; restores?: true }
    | { exports: true }
    | { looksUp: true }
    | null;
}

interface Endpoint {
  query?: z.ZodObject;
  body?: z.ZodObject;
}

/** The schemas of each endpoint's query and body. */
export const ENDPOINTS: Record<string, Endpoint> = {
  "POST /api/v1/customer/campaigns/near-by-popular-campaigns": { body: NearbyCampaignsBody },
  "GET /api/v1/customer/coupons": { query: CouponsQuery },
  "GET /api/v1/customer/my-coupons": { query: MyCouponsQuery },
  "GET /api/v1/customer/me": {},
  "GET /api/v1/customer/me/entries": { query: EntriesQuery },
  "GET /api/v1/customer/messages": { query: MessagesQuery },
  "GET /api/v1/customer/stores/:id/team-with-level": { query: TeamQuery },
  "POST /api/v1/customer/full-search": { body: FullSearchBody },
  "GET /api/v1/feed": { query: ExportQuery },
  "GET /api/v1/feed/customers": { query: LookupQuery },
  "POST /api/v1/customer/gamification/leaderboard": {
    body: LeaderboardParameters,
    query: LeaderboardParameters.pick({ location_id: true }).partial(),
  },
};

/** Endpoints whose requests have no schema here. They get only strange requests. */
export const OTHERS = ["GET /api/v1/customer/live", "POST /api/v1/feed", "GET /health"];

const caller = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...CALLERS).map((customer) => ({ customer })) },
  { weight: 1, arbitrary: fc.constant({ accounts: "*" as const }) },
  { weight: 3, arbitrary: fc.constant({ exports: true as const }) },
  { weight: 1, arbitrary: fc.constant({ looksUp: true as const }) },
  { weight: 1, arbitrary: fc.constant(null) },
);

/** Headers that the service, or a library of it, may read. */
export const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        "Accept",
        "Content-Type",
        "X-D1-Bookmark",
        "Origin",
        "Range",
        "If-None-Match",
        "Content-Encoding",
        "Cookie",
        "X-Forwarded-For",
        "X-HTTP-Method-Override",
      ),
      fc.constantFrom(
        "",
        "*",
        "text/plain",
        "multipart/form-data",
        "application/json; charset=utf-16",
        "gzip",
        "DELETE",
        "bytes=0-1",
        "0".repeat(5_000),
        "00000001-00000002-00000003-0123456789abcdef0123456789abcdef",
        "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff",
        "first-primary",
        "https://evil.example",
      ),
      { maxKeys: 3 },
    ),
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
  const pairs = Object.entries(object).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  return pairs.map(([name, value]) => `${encoded(name)}=${encoded(toText(value))}`).join("&");
}

function toText(value: unknown): string {
  return typeof value === "object" || value === undefined ? String(JSON.stringify(value)) : String(value);
}

const strangeQuery = fc.oneof(
  fc.dictionary(hostileText, hostileText, { maxKeys: 5 }).map(toQuery),
  fc.constantFrom(
    "%",
    "%ff=%ff",
    "&&&===",
    "page",
    "page=1&page=2",
    "storeId",
    "a[]=1&a[b]=2",
    "?page=1",
    "page=1;x=2",
  ),
  fc.constantFrom("storeId=a&".repeat(1_000), `storeId=${"a,".repeat(4_000)}`, `${"k=v&".repeat(3_000)}`),
);

const strangeSegment = fc.oneof(
  hostileText.map(encoded),
  fc.constantFrom("%ff", "%", "%c0%ae%c0%ae", "%ed%a0%80", "a%2fb", ";x=1", "%252e", " ", "*", ":id", "\\", "%00"),
);

const endpointRequests = Object.entries(ENDPOINTS).map(([name, { query, body }]) => {
  const [method = "", path = ""] = name.split(" ");
  const target = fc.record({
    ids: fc.infiniteStream(
      fc.oneof({ weight: 4, arbitrary: plausible()("store_id").map(toText) }, { weight: 1, arbitrary: strangeSegment }),
    ),
    query: fc.oneof(
      { weight: 8, arbitrary: query === undefined ? fc.constant("") : objectsOf(query).map(toQuery) },
      { weight: 1, arbitrary: strangeQuery },
    ),
  });
  const bodies =
    body === undefined ? fc.constant(null) : objectsOf(body).chain((object) => bodyOf(toHostileJson(object)));
  return fc.record({
    path: fc.constant(path),
    method: fc.oneof({ weight: 12, arbitrary: fc.constant(method) }, fc.constantFrom("GET", "POST", "HEAD", "PUT")),
    target: target.map(({ ids, query: text }) => {
      const filled = path.replace(/:\w+/g, () => ids.next().value ?? "");
      return text === "" ? filled : `${filled}?${text}`;
    }),
    headers,
    body: bodies,
    caller,
  });
});

function objectsOf(schema: z.ZodObject): fc.Arbitrary<Record<string, unknown>> {
  return nearly(fitting(schema, plausible()), Object.keys(schema.shape));
}

function bodyOf(json: string): fc.Arbitrary<FuzzedRequest["body"]> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(json) },
    { weight: 1, arbitrary: damaged(json) },
    { weight: 1, arbitrary: strangeBody },
  );
}

/** A request to a path similar to an endpoint's, with any method and body. */
const strangeRequest = fc.constantFrom(...Object.keys(ENDPOINTS), ...OTHERS, "GET /").chain((name) => {
  const path = name.split(" ")[1] ?? "";
  return fc.record({
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
    caller,
  });
});

/** A request to an endpoint for customers, or to a similar path. */
export const customerRequest: fc.Arbitrary<FuzzedRequest> = fc
  .oneof({ weight: 1, arbitrary: strangeRequest }, ...endpointRequests.map((arbitrary) => ({ weight: 3, arbitrary })))
  .map((request) => (["GET", "HEAD"].includes(request.method) ? { ...request, body: null } : request));

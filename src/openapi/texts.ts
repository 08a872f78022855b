import { REQUESTS_A_MINUTE } from "../http/limits.ts";

export const INTRODUCTION = `The API behind a customer's loyalty app.

**Envelope.** Every answer is a JSON object with a boolean \`status\`. When it is true, the data is in \`items\`. When it is false,
\`errorCode\` says what failed; \`message\` says it in words, or \`messages\` names every bad field. An unknown path is 404, and a
known path with another method is 405, in the same envelope.

**Tokens.** \`Authorization: Bearer …\` carries a JWT. A customer's token, \`{"scope": "customer", "sub": "<customer id>"}\`, reads as
that customer. A feed token, \`{"scope": "feed", "accounts": ["165"]}\` or \`"accounts": "*"\`, writes the feed. An export token,
\`{"scope": "export", "accounts": "*"}\`, reads everything. A till's token, \`{"scope": "till", "accounts": ["165"]}\`, books and redeems.

**Values.** Times are UTC, \`2026-11-20 09:30:00\`; days are \`2026-11-20\`. Distances are miles. Flags are 0 or 1. Ids are opaque
texts of at most 64 characters. An empty parameter of a query counts as absent. Unknown parameters are ignored.

**Amounts** (money, balances, tokens, runs) are exact decimals with at most two fraction digits. A customer's balances, entries
and tokens are JSON numbers, \`12.5\`. All other amounts are strings, \`"12.50"\`, also those that a feed or a till sends. Before
you add numbers up, make them hundredths: \`Math.round(amount * 100)\`.

**Pages.** \`page\` begins at 1. If there are more items, the header \`Link\` has the address of the next page.

**Changes.** An open app need not poll: \`GET /api/v1/customer/live\` is a WebSocket that tells the app what has changed. A poll
for messages that finds nothing new is cheap, and makes no round trip to the database.

**Limits.** A customer may send ${REQUESTS_A_MINUTE.customer} requests a minute. After a 429 or 503, \`Retry-After\` says when to try again.

**Example.** The repository has an app on the typed client in \`examples/app\`. \`npm start\` serves it at \`/app/\`, with a till
that changes it while you watch.`;

/** The groups of endpoints, and below which paths of `/api/v1` each has its own. */
const GROUPS = [
  { name: "Campaigns", paths: ["customer/campaigns"], description: "What runs near the customer." },
  { name: "Coupons", paths: ["customer/coupons", "customer/my-coupons"], description: "What the customer can redeem." },
  { name: "Messages", paths: ["customer/messages", "customer/blocks"], description: "Groups of customers who write." },
  { name: "Stores", paths: ["customer/stores"], description: "The customer's team at a store." },
  { name: "Search", paths: ["customer/full-search"], description: "Stores, customers and campaigns by their words." },
  { name: "Gamification", paths: ["customer/gamification"], description: "Boards of a store's employees." },
  { name: "Me", paths: ["customer/me"], description: "The customer's own balance, entries and data." },
  { name: "Live", paths: ["customer/live"], description: "A socket that says what has changed." },
  { name: "Till", paths: ["till"], description: "Tills: find a customer, book, redeem, explain." },
  { name: "Feed", paths: ["feed"], description: "How a program's systems of record send their data." },
  { name: "Service", paths: [], description: "The service itself." },
] as const;

export const TAGS = GROUPS.map(({ name, description }) => ({ name, description }));

/** The tag of an endpoint. */
export function tagOf(path: string): string {
  const own = GROUPS.find(({ paths }) => paths.some((start) => `${path}/`.startsWith(`/api/v1/${start}/`)));
  return own?.name ?? "Service";
}

const bearer = (description: string) => ({ type: "http", scheme: "bearer", bearerFormat: "JWT", description });

export const SECURITY_SCHEMES = {
  customer: bearer("A customer's token. In development: `npm run token -- customer c1`."),
  feed: bearer("A feed token. In development: `npm run token -- feed '*'`."),
  export: bearer("An export token. In development: `npm run token -- export`."),
  till: bearer("A till's token. In development: `npm run token -- till`."),
};

const requestHeader = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

export const IF_NONE_MATCH = requestHeader(
  "If-None-Match",
  "The `ETag` of an answer that the client has, or several with commas between them, or `*`.",
);

export const BOOKMARK = requestHeader(
  "X-D1-Bookmark",
  "The greatest bookmark, as text, of all earlier answers and frames. This answer is at least as new.",
);

export const UNCHANGED = "The answer is still one that `If-None-Match` names. There is no body.";

/** The headers of every answer. */
export const COMMON_HEADERS = ["X-Request-Id", "Server-Timing"] as const;

const header = (description: string, example: string) => ({ description, schema: { type: "string" }, example });

export const HEADERS = {
  "X-Request-Id": header("The request's id: name it when you report a fault.", "7f3c2a54-52a8-4b1e-9d0e-1b6f4f0c9a11"),
  "Server-Timing": header(
    "The cost: milliseconds at the database, and round trips to it.",
    'd1;dur=1.9, trips;desc="1"',
  ),
  ETag: header(
    "Identifies this body. Send it in `If-None-Match`: the answer is 304 as long as the body is the same.",
    'W/"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg="',
  ),
  "X-D1-Bookmark": header("Send it with the next request, which then sees what this one saw.", "00000085.F0mRSIPy"),
  Link: header(
    "The addresses of the next and the previous page, if there are any (RFC 8288).",
    '<https://loyalty.example/api/v1/customer/my-coupons?page=2>; rel="next"',
  ),
  "X-Board-Age": header("How many seconds ago the board was counted.", "12"),
  "X-Feed-Version": header(
    "How many feed requests have been committed. If the first page and the last of an export have the same, nothing was fed in between.",
    "1042",
  ),
  "Retry-After": header("Seconds after which to try again.", "60"),
  "WWW-Authenticate": header("The required type of token.", "Bearer"),
  Allow: header("The methods that the path takes.", "POST"),
  Upgrade: header("The required protocol.", "websocket"),
};

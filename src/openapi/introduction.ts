import { REQUESTS_A_MINUTE } from "../http/limits.ts";

export const INTRODUCTION = `The API behind a customer's loyalty app.

**Envelope.** Every answer is a JSON object with a boolean \`status\`. When it is true, the data is in \`items\`. When it is false,
\`errorCode\` says what failed; \`message\` says it in words, or \`messages\` names every bad field. An unknown path is 404, and a
known path with another method is 405, in the same envelope.

**Tokens.** \`Authorization: Bearer …\` carries a JWT. A customer's token, \`{"scope": "customer", "sub": "<customer id>"}\`, reads as
that customer. A feed token, \`{"scope": "feed", "accounts": ["165"]}\` or \`"accounts": "*"\`, writes the feed. An export token,
\`{"scope": "export", "accounts": "*"}\`, reads everything.

**Values.** Times are UTC, \`2026-11-20 09:30:00\`; days are \`2026-11-20\`. Amounts are exact decimals with two fraction digits.
Distances are miles. Flags are 0 or 1. Ids are opaque texts of at most 64 characters. An empty parameter of a query counts as
absent. Unknown parameters are ignored.

**Pages.** \`page\` begins at 1. If there are more items, the header \`Link\` has the address of the next page.

**Changes.** An open app need not ask again and again: \`GET /api/v1/customer/live\` is a WebSocket that says what to ask for anew. A
poll for messages with nothing new is cheap, and makes no round trip to the database.

**Limits.** A customer may send ${REQUESTS_A_MINUTE.customer} requests a minute. After a 429 or 503, \`Retry-After\` says when to try again.

**Example.** The repository has an app on the typed client in \`examples/app\`. \`npm start\` serves it at \`/app/\`, with a till
that changes it while you watch.`;

export const TAGS = [
  { name: "Customer", description: "What a customer's app asks for, with the customer's token." },
  { name: "Feed", description: "How a program's systems of record send their data." },
  { name: "Service", description: "The service itself." },
];

const bearer = (description: string) => ({ type: "http", scheme: "bearer", bearerFormat: "JWT", description });

export const SECURITY_SCHEMES = {
  customer: bearer("A customer's token. In development: `npm run token -- customer c1`."),
  feed: bearer("A feed token. In development: `npm run token -- feed '*'`."),
  export: bearer("An export token. In development: `npm run token -- export`."),
};

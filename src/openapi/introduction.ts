export const INTRODUCTION = `The API behind a customer's loyalty app.

**Envelope.** Every answer is a JSON object with a boolean \`status\`. When it is true, the data is in \`items\`. When it is false,
\`errorCode\` says what failed; \`message\` says it in words, or \`messages\` names every bad field. An unknown path is 404, a known
path with another method 405, in the same envelope.

**Tokens.** \`Authorization: Bearer …\` carries a JWT. A customer's token, \`{"scope": "customer", "sub": "<customer id>"}\`, reads as
that customer. A feed token, \`{"scope": "feed", "accounts": ["165"]}\` or \`"accounts": "*"\`, writes the feed.

**Values.** Times are UTC, \`2026-11-20 09:30:00\`; days are \`2026-11-20\`. Amounts are exact decimals with two fraction digits.
Distances are miles. Flags are 0 or 1. Ids are opaque texts of at most 64 characters. An empty parameter of a query counts as
absent, and one that is not known is ignored.

**Pages.** \`page\` begins at 1. Where there is more, the header \`Link\` holds the address of the next page.

**Limits.** 600 requests a minute for a customer; a 429 or 503 says in \`Retry-After\` when to come back.`;

export const TAGS = [
  { name: "Customer", description: "What a customer's app asks, as the customer whose token it sends." },
  { name: "Feed", description: "How a program's systems of record bring in what they know." },
  { name: "Service", description: "The service itself." },
];

export const SECURITY_SCHEMES = {
  customer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A customer's token. In development: `npm run token -- customer c1`.",
  },
  feed: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A feed token. In development: `npm run token -- feed '*'`.",
  },
};

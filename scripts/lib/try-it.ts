interface Example {
  what: string;
  path: string;
  /** A body makes it a POST. */
  body?: Record<string, unknown>;
}

/** One request for each endpoint, with parameters that the demo program answers. */
export const EXAMPLES: readonly Example[] = [
  {
    what: "Popular campaigns near Tokyo's centre",
    path: "/api/v1/customer/campaigns/near-by-popular-campaigns",
    body: { latitude: 35.68, longitude: 139.76, single_account_id: "101", count: 2 },
  },
  { what: "Who wrote to this customer", path: "/api/v1/customer/messages" },
  { what: "This customer's team at a store", path: "/api/v1/customer/stores/s101-1-6/team-with-level?per_page=5" },
  { what: "The coupons that this customer holds", path: "/api/v1/customer/coupons" },
  { what: "Store, manufacturer and digital coupons, page by page", path: "/api/v1/customer/my-coupons?per_page=5" },
  {
    what: "Stores, customers and campaigns by words",
    path: "/api/v1/customer/full-search",
    body: { query: "blue har" },
  },
  {
    what: "Customers by a name with a typo: the answer says what it forgave",
    path: "/api/v1/customer/full-search",
    body: { query: "ficsher", filter: "customers" },
  },
  {
    what: "Who leads the board at a store",
    path: "/api/v1/customer/gamification/leaderboard",
    body: { location_id: "s101-1-1", rank_on: "run" },
  },
];

/** A message for the demo customer, with an id of its own each time. */
const MESSAGE = `{"record":"message","id":"try-'$(date +%s)'","group_id":"g1","customer_id":"c6","body":"Tea at four?"}`;

/** A line that prints what changes for the customer of `$TOKEN`, and one that changes something. */
function listen(url: string, flag: string): string {
  const script =
    `new WebSocket("${url.replace(/^http/, "ws")}/api/v1/customer/live", ["loyalty-edge", "bearer." + process.env.TOKEN])` +
    ".onmessage = ({ data }) => console.log(data)";
  return `# Listen for what changes for this customer. Leave it running: the next line, in another terminal, sends them a message
TOKEN=$TOKEN node_modules/.bin/node -e '${script}'

curl -s -H "Authorization: Bearer $(npm run --silent token -- feed '*'${flag})" "${url}/api/v1/feed" -d '${MESSAGE}'`;
}

/** What `npm start` prints where it has not loaded the demo program: how to feed something, and to ask for it. */
export function tryWithoutDemo(url: string, flag: string): string {
  return `
The reference is at ${url}. Ctrl-C stops it.
No demo program was loaded, and the example app shows nothing else.

# Feed a customer; a file of lines goes with npm run feed -- FILE --url ${url}${flag}
curl -s -H "Authorization: Bearer $(npm run --silent token -- feed '*'${flag})" "${url}/api/v1/feed" -d '{"record":"customer","id":"ada","first_name":"Ada","last_name":"Lovelace"}'

# A token of that customer, and what it finds
TOKEN=$(npm run --silent token -- customer ada${flag})
curl -s -H "Authorization: Bearer $TOKEN" "${url}/api/v1/customer/full-search" -d '{"query":"ada","filter":"customers"}'
`;
}

/** What it prints where there is: the address, a customer's token, and lines that work as they stand. */
export function tryIt(url: string, flag: string, { customerId, token }: { customerId: string; token: string }): string {
  const lines = EXAMPLES.map(({ what, path, body }) => {
    const data = body === undefined ? "" : ` -d '${JSON.stringify(body)}'`;
    return `# ${what}\ncurl -s -H "Authorization: Bearer $TOKEN" "${url}${path}"${data}`;
  });
  return `
The example app is at ${url}/app/: a customer's app, and beside it a till that changes it while you watch.
The reference is at ${url}, with a token filled in. Ctrl-C stops it.

# A token of the demo customer ${customerId}, good for 30 days
TOKEN=${token}

${lines.join("\n\n")}

${listen(url, flag)}
`;
}

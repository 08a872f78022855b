import { OPERATIONS } from "../../src/reference.ts";

/** A command for each example of the reference that takes a customer's token. The demo program answers all of them. */
function exampleLines(url: string): string[] {
  return Object.entries(OPERATIONS).flatMap(([endpoint, { answerForm, summary: name, examples }]) => {
    if (!endpoint.includes("/customer/") || answerForm === "frames") return [];
    return examples.map(({ summary, path = {}, query = {}, body }) => {
      const route = endpoint.replace(/^\w+ /, "").replace(/:(\w+)/g, (_, part: string) => path[part] ?? "");
      const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`;
      const data = body === undefined ? "" : ` -d '${JSON.stringify(body)}'`;
      return `# ${name}: ${summary.replace(/;.*/, "")}\ncurl -s -H "Authorization: Bearer $TOKEN" "${url}${route}${search}"${data}`;
    });
  });
}

/** A message for the demo customer. The shell gives each message a new id. */
const MESSAGE = `{"record":"message","id":"try-'$(date +%s)'","group_id":"g1","customer_id":"c6","body":"Tea at four?"}`;

/** A command that prints changes for the customer of `$TOKEN`, and a command that changes something. */
function listen(url: string, flag: string): string {
  const script =
    `new WebSocket("${url.replace(/^http/, "ws")}/api/v1/customer/live", ["loyalty-edge", "bearer." + process.env.TOKEN])` +
    ".onmessage = ({ data }) => console.log(data)";
  return `# Listen for what changes for this customer. Leave it running: the next line, in another terminal, sends them a message
TOKEN=$TOKEN node_modules/.bin/node -e '${script}'

curl -s -H "Authorization: Bearer $(npm run --silent token -- feed '*'${flag})" "${url}/api/v1/feed" -d '${MESSAGE}'`;
}

/** What `npm start` prints of the demo program: the address of the app, a customer's token, and commands to copy. */
export function tryIt(url: string, flag: string, { customerId, token }: { customerId: string; token: string }): string {
  return `
The example app is at ${url}/app/: a customer's app, and beside it a till that changes it while you watch.

# A token of the demo customer ${customerId}, good for 30 days
TOKEN=${token}

${exampleLines(url).join("\n\n")}

${listen(url, flag)}
`;
}

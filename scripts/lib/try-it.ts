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

/** What `npm start` prints of the demo program: the address of the app, a customer's token, and commands to copy. */
export function tryIt(url: string, customerId: string, token: string): string {
  return `
The example app is at ${url}/app/: a customer's app, and beside it a till that changes it while you watch.

# A token of the demo customer ${customerId}, good for 30 days
TOKEN=${token}

${exampleLines(url).join("\n\n")}
`;
}

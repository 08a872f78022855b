import { type Answer, send } from "./api.ts";

/** The curl commands of a page, without those in comments, in their order. */
export function curlCommands(page: string): string[] {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block.replaceAll("\\\n", " "));
  return blocks.flatMap((block) => block.split("\n").filter((line) => line.startsWith("curl ")));
}

/** Sends what a curl command would send. */
export function sendCurl(command: string, token: string): Promise<Answer> {
  const path = /https?:\/\/[^/\s]+(\/[^\s"']*)/.exec(command)?.[1] ?? "";
  const body = /-d '([^']*)'/.exec(command)?.[1];
  const method = /-X (\w+)/.exec(command)?.[1] ?? (body === undefined ? "GET" : "POST");
  const headers = { Authorization: `Bearer ${token}` };
  return send(path, body === undefined ? { method, headers } : { method, headers, body });
}

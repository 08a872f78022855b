// Calls the service. Runs in Node and in workerd.

export interface Call {
  /** The default is POST with a body, and GET without one. */
  method?: string;
  token?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON, an array of the lines of NDJSON, or null for any other text. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller checks what the answer holds.
  body: any;
}

export async function call(url: URL | string, { method, token, headers, body, signal }: Call = {}, send = fetch) {
  const response = await send(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...headers },
    redirect: "manual",
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  return toAnswer(response);
}

export async function toAnswer({ status, headers, body }: Response): Promise<Answer> {
  // workerd warns about `text()` on the response itself if its media type is not a text.
  const text = await new Response(body).text();
  return { status, headers, text, body: bodyOf(text, headers.get("Content-Type") === "application/x-ndjson") };
}

function bodyOf(text: string, isLines: boolean): unknown {
  try {
    const lines = text.split("\n").filter((line) => line !== "");
    return isLines ? lines.map((line) => JSON.parse(line)) : JSON.parse(text);
  } catch {
    return null;
  }
}

/** The address that the header `Link` gives for a relation, by default for the next page. */
export function linkOf({ headers }: Pick<Answer, "headers">, relation = "next"): string | undefined {
  const links = (headers.get("Link") ?? "").split(/,\s*(?=<)/);
  return links.find((link) => link.includes(`rel="${relation}"`))?.match(/<([^>]*)>/)?.[1];
}

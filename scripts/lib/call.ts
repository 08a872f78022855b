// Calls the service, in Node and in workerd.

export interface Call {
  /** Left out, it is GET, or POST with a body. */
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
  /** The JSON of the answer: of NDJSON an array of its lines, and null if it is neither. */
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what its caller checks.
  body: any;
}

/** Sends a request, and reads the whole answer. */
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
  // workerd warns of a text whose media type is not one of texts.
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

/** The address of the next page, or of another relation, in the header `Link`. */
export function linkOf({ headers }: Pick<Answer, "headers">, relation = "next"): string | undefined {
  const links = (headers.get("Link") ?? "").split(/,\s*(?=<)/);
  return links.find((link) => link.includes(`rel="${relation}"`))?.match(/<([^>]*)>/)?.[1];
}

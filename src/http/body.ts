import { payloadTooLarge } from "./errors.ts";

export interface BodyLimit {
  bytes: number;
  /** The limit as a person writes it. */
  name: string;
}

/**
 * The bytes of a request's body, read no further than the limit.
 * @throws the failure 413 beyond it, before the rest is read.
 */
export async function readBody(request: Request, limit: BodyLimit): Promise<Uint8Array> {
  const tooLarge = () => payloadTooLarge(`A body of at most ${limit.name} is taken here.`);
  if (Number(request.headers.get("Content-Length") ?? 0) > limit.bytes) throw tooLarge();
  if (request.body === null) return new Uint8Array();

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limit.bytes) throw tooLarge();
    chunks.push(chunk);
  }

  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

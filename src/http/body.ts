import { ApiError, malformedBody, payloadTooLarge } from "./errors.ts";

/** What is wrong with a body that broke off. */
export const NOT_WHOLE = "must arrive whole";

export interface BodyLimit {
  bytes: number;
  /** The limit as a person writes it. */
  name: string;
}

/**
 * The bytes of a body, read no further than the limit.
 * @throws the failure 413 beyond it, before the rest is read, and 400 for a body that breaks off.
 */
export async function readBody(
  message: { headers: Headers; body: ReadableStream<Uint8Array> | null },
  limit: BodyLimit,
): Promise<Uint8Array> {
  const tooLarge = () => payloadTooLarge(`A body of at most ${limit.name} is taken here.`);
  const declared = Number(message.headers.get("Content-Length") ?? 0);
  if (declared > limit.bytes) throw tooLarge();
  if (message.body === null) return new Uint8Array();

  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of message.body) {
      size += chunk.byteLength;
      if (size > limit.bytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : malformedBody(NOT_WHOLE);
  }
  // Not every way here tells a body that broke off from one that ended, and half a feed must not be taken for a whole.
  if (size < declared) throw malformedBody(NOT_WHOLE);

  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

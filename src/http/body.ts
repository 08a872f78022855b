import { ApiError, malformedBody, payloadTooLarge } from "./errors.ts";

/** What is wrong with a body that broke off. */
export const NOT_WHOLE = "must arrive whole";

export interface BodyLimit {
  bytes: number;
  /** The limit as a person writes it. */
  name: string;
}

/**
 * The bytes of a body, no more than the limit.
 * @throws the failure 413 beyond it, before the rest is read, and 400 for a body that breaks off.
 */
export async function readBody(
  message: Pick<Request | Response, "headers" | "body" | "arrayBuffer">,
  limit: BodyLimit,
): Promise<Uint8Array> {
  const tooLarge = () => payloadTooLarge(`A body of at most ${limit.name} is taken here.`);
  const declared = Number(message.headers.get("Content-Length") ?? 0);
  if (declared > limit.bytes) throw tooLarge();
  if (message.body === null) return new Uint8Array();
  // What says how long it is comes no longer, so it is read at once; of something packed that is the packed length.
  const length = message.headers.has("Content-Encoding") ? 0 : declared;
  const body = length > 0 ? await whole(message) : await uptoLimit(message.body, limit.bytes, tooLarge);
  if (body.length > limit.bytes) throw tooLarge();
  // Not every way here tells a body that broke off from one that ended, and half a feed must not be taken for a whole.
  if (body.length < length) throw malformedBody(NOT_WHOLE);
  return body;
}

async function whole(message: Pick<Request | Response, "arrayBuffer">): Promise<Uint8Array> {
  try {
    return new Uint8Array(await message.arrayBuffer());
  } catch {
    throw malformedBody(NOT_WHOLE);
  }
}

async function uptoLimit(
  stream: ReadableStream<Uint8Array>,
  most: number,
  tooLarge: () => ApiError,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > most) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : malformedBody(NOT_WHOLE);
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

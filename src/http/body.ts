import { ApiError, malformedBody, payloadTooLarge } from "./errors.ts";

/** The error text for a body that broke off. */
export const NOT_WHOLE = "must arrive whole";

export interface BodyLimit {
  bytes: number;
  /** The limit as a person writes it. */
  name: string;
}

/** The limit of every body but the feed's. */
export const JSON_BODY_LIMIT: BodyLimit = { bytes: 64 * 1024, name: "64 KiB" };

export function bodyTooLarge(limit: BodyLimit): ApiError {
  return payloadTooLarge(`A body of at most ${limit.name} is taken here.`);
}

/**
 * The bytes of a body, no more than the limit.
 * @throws the failure 413 beyond it, before the rest is read, and 400 for a body that breaks off.
 */
export async function readBody(
  message: Pick<Request | Response, "headers" | "body" | "arrayBuffer">,
  limit: BodyLimit,
): Promise<Uint8Array> {
  const tooLarge = () => bodyTooLarge(limit);
  const declared = Number(message.headers.get("Content-Length") ?? 0);
  if (declared > limit.bytes) throw tooLarge();
  if (message.body === null) return new Uint8Array();
  // A body with a declared length is never longer, so it is read at once.
  const length = declaredLength(message);
  const body = length > 0 ? await whole(message) : await uptoLimit(message.body, limit.bytes, tooLarge);
  if (body.length > limit.bytes) throw tooLarge();
  // Not every reader tells a body that broke off from one that ended, and half a feed must not pass for a whole one.
  if (body.length < length) throw malformedBody(NOT_WHOLE);
  return body;
}

/** The most bytes that reading a body may take: its declared length, or the limit; 0 if it is refused unread. */
export function bytesToRead(message: Pick<Request, "headers" | "body">, limit: BodyLimit): number {
  const length = declaredLength(message) || limit.bytes;
  return message.body === null || length > limit.bytes ? 0 : length;
}

/** The declared length of a body, or 0 if there is none. A compressed body declares its compressed length. */
function declaredLength({ headers }: Pick<Request, "headers">): number {
  return headers.has("Content-Encoding") ? 0 : Number(headers.get("Content-Length") ?? 0);
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

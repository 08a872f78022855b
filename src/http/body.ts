import { declaredLength, readLimitedBody } from "../values/limited-body.ts";
import { type ApiError, malformedBody, payloadTooLarge } from "./errors.ts";

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
  const reading = await readLimitedBody(message, limit.bytes);
  if (reading.kind === "too large") throw bodyTooLarge(limit);
  if (reading.kind === "broken off") throw malformedBody(NOT_WHOLE);
  return reading.bytes;
}

/** The most bytes that reading a body may take: its declared length, or the limit; 0 if it is refused unread. */
export function bytesToRead(message: Pick<Request, "headers" | "body">, limit: BodyLimit): number {
  const length = declaredLength(message) || limit.bytes;
  return message.body === null || length > limit.bytes ? 0 : length;
}

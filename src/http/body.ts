import { declaredLength, readLimitedBody } from "../values/limited-body.ts";
import { withCommas } from "../values/number.ts";
import { type ApiError, malformedBody, payloadTooLarge, requestTimeout } from "./errors.ts";

export const CUT_OFF = "must arrive whole";

interface BodyLimit {
  bytes: number;
  /** The limit in words, for error messages. */
  name: string;
}

/** The limit of every body but the feed's. */
export const JSON_BODY_LIMIT: BodyLimit = { bytes: 64 * 1024, name: "64 KiB" };

/** @param bytes the declared length of the body; 0 if unknown. */
export function bodyTooLarge(limit: BodyLimit, bytes = 0): ApiError {
  const size = bytes > limit.bytes ? `${withCommas(bytes)} bytes` : "more";
  return payloadTooLarge(`A body of at most ${limit.name} is taken here: this one has ${size}.`);
}

/**
 * Reads a body of at most `limit` bytes. hono/body-limit does not fit: it has no timeout and accepts a body that was cut
 * off (test/faults/bodies.test.ts).
 * @param onBytes is called with the change of memory in use, before it is allocated. It may throw.
 * @throws 413 over the limit (without reading the rest), 400 for a body that was cut off, 408 for one that is too slow.
 */
export async function readBody(
  message: Pick<Request | Response, "headers" | "body">,
  limit: BodyLimit,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array> {
  const reading = await readLimitedBody(message, limit.bytes, onBytes);
  switch (reading.outcome) {
    case "whole":
      return reading.bytes;
    case "too large":
      throw bodyTooLarge(limit, declaredLength(message.headers));
    case "cut off":
      throw malformedBody(CUT_OFF);
    case "too slow":
      throw requestTimeout();
  }
}

import { declaredLength, readLimitedBody } from "../values/limited-body.ts";
import { withCommas } from "../values/number.ts";
import { type ApiError, malformedBody, payloadTooLarge, requestTimeout } from "./errors.ts";

/** The error text for a body that broke off. */
export const NOT_WHOLE = "must arrive whole";

interface BodyLimit {
  bytes: number;
  /** The limit as a person writes it. */
  name: string;
}

/** The limit of every body but the feed's. */
export const JSON_BODY_LIMIT: BodyLimit = { bytes: 64 * 1024, name: "64 KiB" };

/** `bytes`: how many the body has, if it says so. */
export function bodyTooLarge(limit: BodyLimit, bytes = 0): ApiError {
  const size = bytes > limit.bytes ? `${withCommas(bytes)} bytes` : "more";
  return payloadTooLarge(`A body of at most ${limit.name} is taken here: this one has ${size}.`);
}

/**
 * The bytes of a body, no more than the limit. `onBytes` is told of the memory that they take. hono/body-limit has no
 * timeout and passes on what breaks off (test/faults/slow-bodies.test.ts).
 * @throws the failure 413 beyond it, before the rest is read, 400 for a body that breaks off, and 408 for a slow one.
 */
export async function readBody(
  message: Pick<Request | Response, "headers" | "body">,
  limit: BodyLimit,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array> {
  const reading = await readLimitedBody(message, limit.bytes, onBytes);
  switch (reading.kind) {
    case "whole":
      return reading.bytes;
    case "too large":
      throw bodyTooLarge(limit, declaredLength(message.headers));
    case "broken off":
      throw malformedBody(NOT_WHOLE);
    case "too slow":
      throw requestTimeout();
  }
}

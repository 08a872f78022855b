import { type BeforeLarge, readLimitedBody } from "../values/limited-body.ts";
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

export function bodyTooLarge(limit: BodyLimit): ApiError {
  return payloadTooLarge(`A body of at most ${limit.name} is taken here.`);
}

/**
 * The bytes of a body, no more than the limit.
 * @throws the failure 413 beyond it, before the rest is read, 400 for a body that breaks off, and 408 for a slow one.
 */
export async function readBody(
  message: Pick<Request | Response, "headers" | "body">,
  limit: BodyLimit,
  beforeLarge?: BeforeLarge,
): Promise<Uint8Array> {
  const reading = await readLimitedBody(message, limit.bytes, beforeLarge);
  switch (reading.kind) {
    case "whole":
      return reading.bytes;
    case "too large":
      throw bodyTooLarge(limit);
    case "broken off":
      throw malformedBody(NOT_WHOLE);
    case "too slow":
      throw requestTimeout();
  }
}

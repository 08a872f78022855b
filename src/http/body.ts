import { clock } from "../values/clock.ts";
import { withCommas } from "../values/number.ts";
import { TimedOut, withTimeout } from "../values/timeout.ts";
import { type ApiError, malformedBody, payloadTooLarge, requestTimeout } from "./errors.ts";

export const CUT_OFF = "must arrive whole";
export const BODY_OF_GET = "parameters of a GET are in the query string";

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

const WHOLE_WITHIN_MS = 60_000;
// An idle body holds no memory for longer.
const START_WITHIN_MS = 10_000;
const START_BYTES = 64 * 1024;
const FIRST_BYTES = 4 * 1024;

/**
 * Reads a body of at most `limit` bytes. hono/body-limit does not fit: it has no timeout and accepts a body that was cut
 * off (test/faults/bodies.test.ts).
 * @param onBytes is called with each change of the memory that the body takes: before the buffer grows, when it may throw, and
 * at the end with minus the bytes of the buffer that the body did not fill.
 * @throws 413 over the limit (without reading the rest), 400 for a body that was cut off, 408 for one that is too slow.
 */
export async function readBody(
  { headers, body }: Pick<Request | Response, "headers" | "body">,
  limit: BodyLimit,
  onBytes: (bytes: number) => void = () => {},
): Promise<Uint8Array> {
  // A compressed body declares its compressed length, so its length is unknown.
  const declared = headers.has("Content-Encoding") ? 0 : Number(headers.get("Content-Length") ?? 0);
  if (declared > limit.bytes) throw bodyTooLarge(limit, declared);
  if (body === null) return new Uint8Array();
  const reader = body.getReader({ mode: "byob" });
  const endsAt = clock.now() + WHOLE_WITHIN_MS;
  const readUpTo = (most: number, start: Uint8Array<ArrayBuffer>, milliseconds: number) =>
    withTimeout(milliseconds, continueReading(reader, start, most, onBytes));
  try {
    // One byte more than the limit shows that the body is too large.
    const most = declared || limit.bytes + 1;
    let bytes = await readUpTo(Math.min(START_BYTES, most), new Uint8Array(), START_WITHIN_MS);
    if (bytes?.length === START_BYTES) bytes = await readUpTo(most, bytes, endsAt - clock.now());
    // Some connections end a cut-off body without an error. Half a feed must not be taken for a whole one.
    if (bytes === null || bytes.length < declared) throw malformedBody(CUT_OFF);
    if (bytes.length > limit.bytes) throw bodyTooLarge(limit);
    return bytes;
  } catch (error) {
    throw error instanceof TimedOut ? requestTimeout() : error;
  } finally {
    // Tells the client to stop sending. A cut-off body cannot be cancelled, which is no error.
    void reader.cancel().catch(() => {});
  }
}

/**
 * The first `most` bytes of a body that begins with `start`, or the whole body if it is shorter; null if the connection broke.
 * The buffer grows as the body arrives.
 */
async function continueReading(
  reader: ReadableStreamBYOBReader,
  start: Uint8Array<ArrayBuffer>,
  most: number,
  onBytes: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer> | null> {
  let bytes = start;
  while (bytes.length < most) {
    const capacity = Math.min(Math.max(FIRST_BYTES, 2 * bytes.length), most);
    const missing = capacity - bytes.length;
    onBytes(missing);
    const buffer = new Uint8Array(capacity);
    buffer.set(bytes);
    const result = await reader.readAtLeast(missing, buffer.subarray(bytes.length)).catch(() => null);
    if (result?.value === undefined) return null;
    const arrived = result.value.length;
    bytes = new Uint8Array(result.value.buffer, 0, bytes.length + arrived);
    if (arrived === missing) continue;
    onBytes(arrived - missing);
    // A view of a part of the buffer would keep the whole buffer in memory.
    return bytes.slice();
  }
  return bytes;
}

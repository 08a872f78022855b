import { TimedOut, withTimeout } from "./timeout.ts";

type Message = Pick<Request | Response, "headers" | "body">;

type BodyReading = { outcome: "whole"; bytes: Uint8Array } | { outcome: "too large" | "cut off" | "too slow" };

const FIRST_BYTES = 64 * 1024;
const WHOLE_WITHIN_MS = 60_000;

/**
 * Reads a body. Stops at the limit, or before reading if the declared length is over it, and gives up after 60 seconds.
 * @param onBytes is called with the change of memory in use: before memory is allocated (then it may throw), and with a
 * negative number after memory is freed.
 */
export async function readLimitedBody(
  message: Message,
  limitBytes: number,
  onBytes: (bytes: number) => void = () => {},
): Promise<BodyReading> {
  const declared = declaredLength(message.headers);
  if (declared > limitBytes) return { outcome: "too large" };
  if (message.body === null) return { outcome: "whole", bytes: new Uint8Array() };
  // With a default reader the runtime returns 4 KiB at a time, which takes five times as long.
  const reader = message.body.getReader({ mode: "byob" });
  try {
    const reading = await withTimeout(WHOLE_WITHIN_MS, readAll(reader, limitBytes, onBytes));
    // Some connections end a cut-off body without an error. Half a feed must not be taken for a whole one.
    return reading.outcome === "whole" && reading.bytes.length < declared ? { outcome: "cut off" } : reading;
  } catch (error) {
    if (error instanceof TimedOut) return { outcome: "too slow" };
    throw error;
  } finally {
    // Tells the client to stop sending. A cut-off body cannot be cancelled, which is no error.
    void reader.cancel().catch(() => {});
  }
}

/** The declared length; 0 if unknown. A compressed body declares its compressed length, so it counts as unknown. */
export function declaredLength(headers: Headers): number {
  return headers.has("Content-Encoding") ? 0 : Number(headers.get("Content-Length") ?? 0);
}

async function readAll(
  reader: ReadableStreamBYOBReader,
  limitBytes: number,
  onBytes: (bytes: number) => void,
): Promise<BodyReading> {
  onBytes(FIRST_BYTES);
  let bytes = new Uint8Array(FIRST_BYTES);
  for (let size = 0; ; ) {
    const next = await reader.read(bytes.subarray(size)).catch(() => null);
    if (next?.value === undefined) return { outcome: "cut off" };
    bytes = new Uint8Array(next.value.buffer);
    if (next.done) {
      onBytes(size - bytes.length);
      // `subarray` would keep the whole buffer in memory.
      return { outcome: "whole", bytes: bytes.slice(0, size) };
    }
    size += next.value.length;
    if (size > limitBytes) return { outcome: "too large" };
    if (size === bytes.length) {
      // One byte more than the limit, so a full buffer means that the body is too large.
      const largerSize = Math.min(2 * size, limitBytes + 1);
      onBytes(largerSize - size);
      const larger = new Uint8Array(largerSize);
      larger.set(bytes);
      bytes = larger;
    }
  }
}

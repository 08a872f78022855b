import { TimedOut, withTimeout } from "./timeout.ts";

type Message = Pick<Request | Response, "headers" | "body">;

/** A body: its bytes; or that it is longer than the limit, broke off, or came too slowly. */
type BodyReading = { kind: "whole"; bytes: Uint8Array } | { kind: "too large" | "broken off" | "too slow" };

const FIRST_BYTES = 64 * 1024;
const WHOLE_WITHIN_MS = 60_000;

/**
 * Reads a body of at most so many bytes. One that is longer is not read to its end, or not at all if it says so; one
 * that is not whole after 60 seconds is given up. `onBytes` is told of the memory that the body is about to take, and may
 * throw; of memory that it gives back, as a negative number.
 */
export async function readLimitedBody(
  message: Message,
  limitBytes: number,
  onBytes: (bytes: number) => void = () => {},
): Promise<BodyReading> {
  const declared = declaredLength(message.headers);
  if (declared > limitBytes) return { kind: "too large" };
  if (message.body === null) return { kind: "whole", bytes: new Uint8Array() };
  // Read into a buffer of the body's own: without one the runtime gives 4 KiB at a time, which takes five times as long.
  const reader = message.body.getReader({ mode: "byob" });
  try {
    const reading = await withTimeout(WHOLE_WITHIN_MS, readAll(reader, limitBytes, onBytes));
    // Not every reader tells a body that broke off from one that ended, and half a feed must not pass for a whole one.
    return reading.kind === "whole" && reading.bytes.length < declared ? { kind: "broken off" } : reading;
  } catch (error) {
    if (error instanceof TimedOut) return { kind: "too slow" };
    throw error;
  } finally {
    // Whoever sends is told to stop; a body that broke off cannot be cancelled any more.
    void reader.cancel().catch(() => {});
  }
}

/** The length that the headers declare, or 0 if there is none. A compressed body declares its compressed length. */
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
    if (next?.value === undefined) return { kind: "broken off" };
    bytes = new Uint8Array(next.value.buffer);
    if (next.done) {
      onBytes(size - bytes.length);
      // A part of the buffer would keep all of it.
      return { kind: "whole", bytes: bytes.slice(0, size) };
    }
    size += next.value.length;
    if (size > limitBytes) return { kind: "too large" };
    if (size === bytes.length) {
      // With one byte more than the body may have: once that is filled, it has too many.
      const largerSize = Math.min(2 * size, limitBytes + 1);
      onBytes(largerSize - size);
      const larger = new Uint8Array(largerSize);
      larger.set(bytes);
      bytes = larger;
    }
  }
}

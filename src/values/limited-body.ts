import { TimedOut, withTimeout } from "./timeout.ts";

type Message = Pick<Request | Response, "headers" | "body">;

type BodyReading = { outcome: "whole"; bytes: Uint8Array } | { outcome: "too large" | "cut off" | "too slow" };

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
  const reader = message.body.getReader({ mode: "byob" });
  try {
    // One byte more than the limit, so a full buffer means that the body is too large.
    const size = declared || limitBytes + 1;
    onBytes(size);
    const reading = reader.readAtLeast(size, new Uint8Array(size)).catch(() => null);
    const value = (await withTimeout(WHOLE_WITHIN_MS, reading))?.value;
    // Some connections end a cut-off body without an error. Half a feed must not be taken for a whole one.
    if (value === undefined || value.length < declared) return { outcome: "cut off" };
    if (value.length > limitBytes) return { outcome: "too large" };
    onBytes(value.length - size);
    // `value` itself would keep the whole buffer in memory.
    return { outcome: "whole", bytes: value.length < size ? value.slice() : value };
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

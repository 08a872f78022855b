type Message = Pick<Request | Response, "headers" | "body">;

/** A body: its bytes; or that it is longer than the limit, broke off, or came too slowly. */
type BodyReading = { kind: "whole"; bytes: Uint8Array } | { kind: "too large" | "broken off" | "too slow" };

/** Called once, before more than 64 KiB of a body are read, with the most bytes that it may have. */
export type BeforeLarge = (bytes: number) => Promise<void>;

/** So much of a body is read without asking. */
export const SMALL_BODY_BYTES = 64 * 1024;

const NO_PROGRESS_MS = 5_000;
export const WHOLE_WITHIN_MS = 60_000;

/**
 * Reads a body of at most so many bytes. One that is longer is not read to its end, or not at all if it says so; one
 * that makes no progress for 5 seconds, or is not whole after 60, is given up.
 */
export async function readLimitedBody(
  message: Message,
  limitBytes: number,
  beforeLarge: BeforeLarge = async () => {},
): Promise<BodyReading> {
  if (Number(message.headers.get("Content-Length") ?? 0) > limitBytes) return { kind: "too large" };
  if (message.body === null) return { kind: "whole", bytes: new Uint8Array() };
  // Read into a buffer of the body's own: without one the runtime gives 4 KiB at a time, which takes five times as long.
  const reader = message.body.getReader({ mode: "byob" });
  try {
    return await readAll(reader, { declared: declaredLength(message), limitBytes, beforeLarge });
  } finally {
    // Whoever sends is told to stop; a body that broke off cannot be cancelled any more.
    void reader.cancel().catch(() => {});
  }
}

/** The declared length of a body, or 0 if there is none. A compressed body declares its compressed length. */
function declaredLength({ headers }: Pick<Message, "headers">): number {
  return headers.has("Content-Encoding") ? 0 : Number(headers.get("Content-Length") ?? 0);
}

async function readAll(
  reader: ReadableStreamBYOBReader,
  { declared, limitBytes, beforeLarge }: { declared: number; limitBytes: number; beforeLarge: BeforeLarge },
): Promise<BodyReading> {
  const most = declared || limitBytes;
  // With one byte more than the body may have: once that is filled, it has too many.
  let bytes = new Uint8Array(Math.min(most, SMALL_BODY_BYTES) + 1);
  let size = 0;
  let leftMs = WHOLE_WITHIN_MS;
  for (;;) {
    const startedAt = Date.now();
    const next = await readWithin(Math.min(NO_PROGRESS_MS, leftMs), reader, bytes.subarray(size));
    leftMs -= Date.now() - startedAt;
    if ("kind" in next) return next;
    if (next.value === undefined) return { kind: "broken off" };
    bytes = new Uint8Array(next.value.buffer);
    if (next.done) break;
    size += next.value.length;
    if (size > most) return { kind: "too large" };
    // To be told that it has ended would be another read, with another timer.
    if (size === declared && size < bytes.length) break;
    if (leftMs <= 0) return { kind: "too slow" };
    if (size < bytes.length) continue;
    await beforeLarge(most);
    const larger = new Uint8Array(most + 1);
    larger.set(bytes);
    bytes = larger;
  }
  // Not every reader tells a body that broke off from one that ended, and half a feed must not pass for a whole one.
  if (size < declared) return { kind: "broken off" };
  // The room that a body without a length did not need is given back.
  return { kind: "whole", bytes: size < most ? new Uint8Array(bytes.buffer.transfer(size)) : bytes.subarray(0, size) };
}

type Bytes = Uint8Array<ArrayBuffer>;
type Reading = ReadableStreamReadResult<Bytes> | { kind: "broken off" | "too slow" };

async function readWithin(milliseconds: number, reader: ReadableStreamBYOBReader, into: Bytes): Promise<Reading> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const tooSlow = new Promise<Reading>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "too slow" }), milliseconds);
  });
  const reading: Promise<Reading> = reader.read(into).catch(() => ({ kind: "broken off" }));
  try {
    return await Promise.race([reading, tooSlow]);
  } finally {
    clearTimeout(timer);
  }
}

type Message = Pick<Request | Response, "headers" | "body" | "arrayBuffer">;

/** A body: its bytes; or that it is longer than the limit, or broke off. */
export type BodyReading = { kind: "whole"; bytes: Uint8Array } | { kind: "too large" } | { kind: "broken off" };

const TOO_LARGE: BodyReading = { kind: "too large" };
const BROKEN_OFF: BodyReading = { kind: "broken off" };

/** Reads a body of at most so many bytes. One that is longer is not read to its end, or not at all if it says so. */
export async function readLimitedBody(message: Message, limitBytes: number): Promise<BodyReading> {
  const declared = Number(message.headers.get("Content-Length") ?? 0);
  if (declared > limitBytes) return TOO_LARGE;
  if (message.body === null) return { kind: "whole", bytes: new Uint8Array() };
  // A body with a declared length is never longer, so it is read at once.
  const length = declaredLength(message);
  const reading = length > 0 ? await readAtOnce(message) : await readUpTo(limitBytes, message.body);
  if (reading.kind !== "whole") return reading;
  if (reading.bytes.length > limitBytes) return TOO_LARGE;
  // Not every reader tells a body that broke off from one that ended, and half a feed must not pass for a whole one.
  return reading.bytes.length < length ? BROKEN_OFF : reading;
}

/** The declared length of a body, or 0 if there is none. A compressed body declares its compressed length. */
export function declaredLength({ headers }: Pick<Message, "headers">): number {
  return headers.has("Content-Encoding") ? 0 : Number(headers.get("Content-Length") ?? 0);
}

async function readAtOnce(message: Pick<Message, "arrayBuffer">): Promise<BodyReading> {
  try {
    return { kind: "whole", bytes: new Uint8Array(await message.arrayBuffer()) };
  } catch {
    return BROKEN_OFF;
  }
}

async function readUpTo(limitBytes: number, stream: ReadableStream<Uint8Array>): Promise<BodyReading> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.byteLength;
      if (size > limitBytes) return TOO_LARGE;
      chunks.push(chunk);
    }
  } catch {
    return BROKEN_OFF;
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return { kind: "whole", bytes };
}

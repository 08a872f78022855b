import { LEEWAY_SECONDS } from "../auth/token.ts";
import type { Subscription } from "./inbox-state.ts";

/** A socket whose token the Worker has checked, as it describes it to the inbox. */
export interface Connection {
  customerId: string;
  /** The token's `exp`, in seconds since 1970. */
  tokenExpires: number;
  /** Whether the client offered the subprotocol, which the answer then selects. */
  hasSubprotocol: boolean;
  subscription: Subscription;
  /** Milliseconds until a message that is stored is shown; null: none waits to be shown. */
  messageWaitMs: number | null;
}

/** Carries the connection from the Worker to the inbox; a client's own header of that name goes no further. */
export const CONNECTION_HEADER = "X-Loyalty-Connection";

/** A connection as a header's value: an id may have letters that a header may not, and the runtime would log them. */
export function writeConnection(connection: Connection): string {
  return encodeURIComponent(JSON.stringify(connection));
}

export function readConnection(header: string): Connection {
  return JSON.parse(decodeURIComponent(header));
}

/** What belongs to a socket, and survives hibernation. Storage would bill each change as a row. */
export interface Attachment extends Omit<Connection, "subscription" | "messageWaitMs"> {
  /** Counts the inbox's sockets, so that the oldest is known. */
  order: number;
  /** How many frames the app has sent in the minute that began then. */
  frames: { since: number; count: number };
}

const MINUTE_MS = 60_000;
/** Each frame wakes the object, which is billed for it. */
export const FRAMES_A_MINUTE = 60;

export function attach(socket: WebSocket, attachment: Attachment): void {
  socket.serializeAttachment(attachment);
}

export function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

/** Counts a frame of the app, and says whether it is one too many. */
export function countFrame(socket: WebSocket, now: number): boolean {
  const attachment = attachmentOf(socket);
  const { since, count } = attachment.frames;
  const frames = now - since >= MINUTE_MS ? { since: now, count: 1 } : { since, count: count + 1 };
  attach(socket, { ...attachment, frames });
  return frames.count > FRAMES_A_MINUTE;
}

/** When the token has expired, with the usual leeway; in milliseconds since 1970. */
export function expiresAt({ tokenExpires }: Attachment): number {
  return (tokenExpires + LEEWAY_SECONDS) * 1_000;
}

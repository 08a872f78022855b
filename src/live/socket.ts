/** What the Worker tells an inbox of a socket whose token it has checked. */
export interface Connection {
  program: string;
  customerId: string;
  /** The token's `exp`, in seconds since 1970. */
  tokenExpires: number;
  /** Whether the client offered the subprotocol, which the answer then selects. */
  hasSubprotocol: boolean;
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

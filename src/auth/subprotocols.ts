/** The subprotocol of the service's WebSocket. A browser offers a second one, which carries the token after this prefix. */
export const SUBPROTOCOL = "loyalty-edge";

export const TOKEN_PREFIX = "bearer.";

/** The subprotocols that the header `Sec-WebSocket-Protocol` offers, in its order. */
export function offeredSubprotocols(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The tokens among them. */
export function tokensOffered(header: string | undefined): string[] {
  const carriers = offeredSubprotocols(header).filter((one) => one.startsWith(TOKEN_PREFIX));
  return carriers.map((one) => one.slice(TOKEN_PREFIX.length));
}

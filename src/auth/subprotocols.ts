/** The subprotocol of the service's WebSocket. A browser offers a second one: `bearer.` and the token. */
export const SUBPROTOCOL = "loyalty-edge";

export const TOKEN_PREFIX = "bearer.";

export function offeredSubprotocols(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The tokens in the header `Sec-WebSocket-Protocol`. */
export function tokensOffered(header: string | undefined): string[] {
  const carriers = offeredSubprotocols(header).filter((one) => one.startsWith(TOKEN_PREFIX));
  return carriers.map((one) => one.slice(TOKEN_PREFIX.length));
}

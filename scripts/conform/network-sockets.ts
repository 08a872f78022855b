import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { Handshake, Sockets } from "./socket.ts";

// Node's fetch() cannot ask for a WebSocket, so this uses node:http. It closes the socket at once.
const handshake: Handshake = (address, headers) => {
  const sendRequest = address.startsWith("https:") ? httpsRequest : httpRequest;
  const upgradeHeaders = { Connection: "Upgrade", "Sec-WebSocket-Version": "13" };
  return new Promise((resolve, reject) => {
    const request = sendRequest(address, { headers: { ...upgradeHeaders, ...headers } });
    request.on("error", reject);
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(answerOf(response, ""));
    });
    request.on("response", async (response) => resolve(answerOf(response, await text(response))));
    request.end();
  });
};

export const sockets: Sockets = { handshake, connect: (address, protocols) => new WebSocket(address, protocols) };

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: string) {
  // Only the values of `Set-Cookie` would be an array, and the service sets no cookies.
  return { status: statusCode, headers: new Headers(headers as Record<string, string>), text: body };
}

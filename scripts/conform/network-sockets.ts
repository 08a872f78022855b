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

function answerOf({ statusCode = 0, headersDistinct }: IncomingMessage, body: string) {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  return { status: statusCode, headers, text: body };
}

import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Handshake, Sockets } from "./socket.ts";

// Node's fetch() cannot ask for a WebSocket, so this uses node:http. It closes the socket at once.
const handshake: Handshake = (address, headers) => {
  const url = new URL(address);
  return new Promise((resolve, reject) => {
    const sendRequest = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = sendRequest(url.href, {
      headers: { Connection: "Upgrade", "Sec-WebSocket-Version": "13", ...headers },
    });
    request.on("error", reject);
    request.on("upgrade", ({ statusCode = 0, headers: answerHeaders }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, headers: headersOf(answerHeaders), text: "" });
    });
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response.headers), text }),
      );
    });
    request.end();
  });
};

export const sockets: Sockets = { handshake, connect: (address, protocols) => new WebSocket(address, protocols) };

function headersOf(raw: NodeJS.Dict<string | string[]>): Headers {
  const pairs = Object.entries(raw).flatMap(([name, value]) =>
    [value ?? []].flat().map((part): [string, string] => [name, part]),
  );
  return new Headers(pairs);
}

import { send } from "./api.ts";
import { tillToken } from "./tokens.ts";

export const TILL = "/api/v1/till";

/** The API as a till calls it. `claims`: of its token, which otherwise covers all accounts. */
export function till(claims: Record<string, unknown> = {}, sendRequest = send) {
  const call = async (method: string, path: string, body?: unknown) =>
    sendRequest(`${TILL}${path}`, {
      method,
      headers: { Authorization: `Bearer ${await tillToken(claims)}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    get: (path: string) => call("GET", path),
    post: (path: string, body: unknown) => call("POST", path, body),
    delete: (path: string) => call("DELETE", path),
  };
}

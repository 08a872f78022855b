import { encodeUtf8 } from "./json.ts";

/** The SHA-256 of a text, in hexadecimal. */
export async function sha256Of(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encodeUtf8(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

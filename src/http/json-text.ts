import type { Context, TypedResponse } from "hono";

declare const isJson: unique symbol;

/**
 * JSON in pieces that go out one after the other as they are. A piece that occurs many times is there once, however
 * long it is. The type keeps plain strings out.
 */
export type JsonText = readonly string[] & { readonly [isJson]: true };

export function toJson(value: unknown): JsonText {
  return asJson([JSON.stringify(value)]);
}

/** JSON that the database has made or stored. */
export function storedJson(text: string): JsonText {
  return asJson([text]);
}

export function jsonArray(items: readonly JsonText[]): JsonText {
  return asJson(["[", ...items.flatMap((item, index) => (index === 0 ? item : [",", ...item])), "]"]);
}

export function jsonObject(members: Readonly<Record<string, JsonText>>): JsonText {
  const texts = Object.entries(members).map(([name, text]) => [`${JSON.stringify(name)}:`, ...text]);
  return asJson(["{", ...texts.flatMap((text, index) => (index === 0 ? text : [",", ...text])), "}"]);
}

/** An object that has members of its own, with one more. */
export function withMember(object: JsonText, name: string, text: JsonText): JsonText {
  return asJson([`{${membersOf(object)},${JSON.stringify(name)}:`, ...text, "}"]);
}

/** One object with the members of several, none of them empty. */
export function mergeObjects(...objects: readonly JsonText[]): JsonText {
  return asJson([`{${objects.map(membersOf).join(",")}}`]);
}

/** What stands between the braces of an object. */
function membersOf([first = "", ...others]: JsonText): string {
  return (others.length === 0 ? first : first + others.join("")).slice(1, -1);
}

/** The answer of a call that went well, typed as what the items are. */
export function answerItems<Items>(
  c: Context,
  items: JsonText,
): Response & TypedResponse<{ status: true; items: Items }, 200, "json"> {
  return answerJson<{ status: true; items: Items }>(c, jsonObject({ status: toJson(true), items }));
}

/** Answers 200 with a body that is JSON already, typed as what it is, and leaves its bytes in `c.var.answered`. */
export function answerJson<Body>(c: Context, body: JsonText): Response & TypedResponse<Body, 200, "json"> {
  // The type does not know that the bytes are never in shared memory.
  const bytes = new TextEncoder().encode(body.join("")) as Uint8Array<ArrayBuffer>;
  c.set("answered", bytes);
  return c.body(bytes, 200, { "Content-Type": "application/json" }) as never;
}

function asJson(pieces: readonly string[]): JsonText {
  return pieces as JsonText;
}

import type { Context, TypedResponse } from "hono";

declare const isJson: unique symbol;

/**
 * JSON as a list of pieces, which are sent one after the other. A long piece that occurs many times is in memory once.
 * The brand keeps plain strings out.
 */
export type JsonText = readonly string[] & { readonly [isJson]: true };

export function toJson(value: unknown): JsonText {
  return asJson([JSON.stringify(value)]);
}

/** JSON that comes from the database. */
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

/** Adds a member to a non-empty object. */
export function withMember(object: JsonText, name: string, text: JsonText): JsonText {
  return asJson([`{${membersOf(object)},${JSON.stringify(name)}:`, ...text, "}"]);
}

/** Merges non-empty objects into one. */
export function mergeObjects(...objects: readonly JsonText[]): JsonText {
  return asJson([`{${objects.map(membersOf).join(",")}}`]);
}

/** The JSON between the braces of an object. */
function membersOf([first = "", ...others]: JsonText): string {
  return (others.length === 0 ? first : first + others.join("")).slice(1, -1);
}

/** A successful answer, typed by its items. */
export function answerItems<Items>(
  c: Context,
  items: JsonText,
): Response & TypedResponse<{ status: true; items: Items }, 200, "json"> {
  return answerJson<{ status: true; items: Items }>(c, jsonObject({ status: toJson(true), items }));
}

/** Answers 200 with a JSON body, typed by `Body`, and stores its bytes in `c.var.answered` for the ETag. */
export function answerJson<Body>(c: Context, body: JsonText): Response & TypedResponse<Body, 200, "json"> {
  // The encoder's type allows shared memory, which it never uses.
  const bytes = new TextEncoder().encode(body.join("")) as Uint8Array<ArrayBuffer>;
  c.set("answered", bytes);
  return c.body(bytes, 200, { "Content-Type": "application/json" }) as never;
}

function asJson(pieces: readonly string[]): JsonText {
  return pieces as JsonText;
}

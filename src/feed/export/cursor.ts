import { decodeBase64Url, encodeBase64Url } from "hono/utils/encode";
import * as z from "zod";
import { cursorParameter } from "../../http/paging.ts";
import { decodeUtf8, parseObject } from "../../values/json.ts";
import { codePoints, ID_LIMIT } from "../../values/text.ts";
import { columnTypes } from "../records/kind.ts";
import { type ExportWalk, WALKS } from "./walks.ts";

/** Where a page of an export begins: in which walk, and after which row; at its beginning where there is none. */
export interface Cursor {
  walk: ExportWalk;
  after: readonly (string | number)[] | undefined;
}

const walksByName = new Map(WALKS.map((walk) => [walk.name, walk]));

/** A cursor as a link carries it. */
export function toText({ walk, after }: Cursor): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ walk: walk.name, after }));
  return encodeBase64Url(bytes.buffer as ArrayBuffer).replace(/=+$/, "");
}

/** What `toText` has made; anything else is a bad field. */
export const CursorParameter = cursorParameter(toCursor);

const LONGEST_CURSOR = 1_000;

const Content = z.object({
  walk: z.string(),
  after: z.array(z.union([z.string(), z.int()])).optional(),
});

function toCursor(text: string): Cursor | undefined {
  const { success, data } = Content.safeParse(contentOf(text));
  const walk = success ? walksByName.get(data.walk) : undefined;
  if (!success || walk === undefined) return undefined;
  const { after } = data;
  if (after === undefined) return { walk, after };
  const types = columnTypes(walk);
  const isColumn = (column: string, index: number) => isOf(types.get(column) ?? "string", after[index]);
  const fits = after.length === walk.order.length && walk.order.every(isColumn);
  return fits ? { walk, after } : undefined;
}

function contentOf(text: string): Record<string, unknown> | null {
  if (text.length > LONGEST_CURSOR || !/^[\w-]+$/.test(text)) return null;
  try {
    const json = decodeUtf8(decodeBase64Url(text));
    return json === null ? null : parseObject(json);
  } catch {
    // Not base64.
    return null;
  }
}

function isOf(type: "string" | "number", value: unknown): boolean {
  if (type === "number") return typeof value === "number";
  return typeof value === "string" && value !== "" && codePoints(value) <= ID_LIMIT;
}

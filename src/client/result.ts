import type { Failure } from "./shapes.ts";

/** What a call has come to: the data, or why there is none. */
export type Result<Items> = { status: true; items: Items } | Failure;

/** The data of an answer as the service types it: what stands in `items`, or, in the one answer without, beside `status`. */
export type ItemsOf<Body> = Body extends { status: true; items: infer Items }
  ? Items
  : Body extends { status: true }
    ? { [List in Exclude<keyof Body, "status">]: Body[List] }
    : never;

/** The result of a call whose answer is `Body`. */
export function toResult<Body>(body: (Body & { status: true }) | Failure): Result<ItemsOf<Body>> {
  if (!body.status) return body;
  const { status, ...lists } = body;
  return { status, items: ("items" in lists ? lists.items : lists) as ItemsOf<Body> };
}

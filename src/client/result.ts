import { LoyaltyError } from "./loyalty-error.ts";
import type { Failure } from "./shapes.ts";

/** What a call has come to: the data, or why there is none. */
export type Result<Items> = { status: true; items: Items } | Failure;

/** The data of an answer as the service types it: what stands in `items`, or, in the one answer without, beside `status`. */
export type ItemsOf<Body> = Body extends { status: true; items: infer Items }
  ? Items
  : Body extends { status: true }
    ? { [List in Exclude<keyof Body, "status">]: Body[List] }
    : never;

/**
 * The body of an answer.
 * @throws a LoyaltyError where it is not the service's: a proxy or a captive network before it may answer with a page.
 */
export async function bodyOf(answer: { status: number; json(): Promise<unknown> }): Promise<{ status: boolean }> {
  const stranger = `Something other than the service answered, with HTTP status ${answer.status}.`;
  const body = await answer.json().catch((cause: unknown) => {
    throw new LoyaltyError(stranger, { cause });
  });
  if (isEnvelope(body)) return body;
  throw new LoyaltyError(stranger, { cause: body });
}

function isEnvelope(body: unknown): body is { status: boolean } {
  return typeof body === "object" && body !== null && "status" in body && typeof body.status === "boolean";
}

/** The result of a call whose answer is `Body`. */
export function toResult<Body>(body: (Body & { status: true }) | Failure): Result<ItemsOf<Body>> {
  if (!body.status) return body;
  const { status, ...lists } = body;
  return { status, items: ("items" in lists ? lists.items : lists) as ItemsOf<Body> };
}

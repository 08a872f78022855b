import { LoyaltyError } from "./loyalty-error.ts";
import type { Failure } from "./shapes.ts";

/** What a call has come to: the data, with what an answer says beside it, or why there is none. */
export type Result<Items, Beside = unknown> = ({ status: true; items: Items } & Beside) | Failure;

/** The data of an answer as the service types it: what stands in `items`, or, in the one answer without, beside `status`. */
export type ItemsOf<Body> = Body extends { status: true; items: infer Items }
  ? Items
  : Body extends { status: true }
    ? { [List in Exclude<keyof Body, "status" | "forgiven">]: Body[List] }
    : never;

/** What an answer says beside its data: a search, which words it forgave. */
export type BesideOf<Body> = "forgiven" extends keyof (Body & { status: true })
  ? { forgiven?: string[] | undefined }
  : unknown;

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
export function toResult<Body>(body: (Body & { status: true }) | Failure): Result<ItemsOf<Body>, BesideOf<Body>> {
  if (!body.status) return body;
  const { status, forgiven, ...lists } = body as Body & { status: true; forgiven?: string[] };
  const items = "items" in lists ? lists.items : lists;
  const result = { status, items, ...(forgiven !== undefined && { forgiven }) };
  return result as Extract<Result<ItemsOf<Body>, BesideOf<Body>>, { status: true }>;
}

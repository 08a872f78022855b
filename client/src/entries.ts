import type { CallOptions, PagedResult } from "./result.ts";
import { errorOf } from "./service.ts";
import { pause, waitAfterFailure } from "./waiting.ts";

/** An entry of a list. If the items are several lists, `kind` names the list of the entry. */
export type Entry<Items> = Items extends readonly (infer One)[]
  ? One
  : {
      [List in keyof Items]: Items[List] extends readonly (infer One)[] ? { kind: KindIn<List> } & One : never;
    }[keyof Items];
type KindIn<List> = List extends "stores" ? "store" : List;

type Ask<Items> = (call?: CallOptions) => Promise<PagedResult<Items>>;

/**
 * The entries of a list, page after page. If the rate limit refuses a page, this waits and asks again: a list may have more
 * pages than a customer has requests a minute.
 * @throws a LoyaltyError for another failure, and the signal's reason once it is aborted.
 */
export async function* entriesOf<Items>(
  ask: Ask<Items>,
  call?: CallOptions,
): AsyncGenerator<Entry<Items>, void, undefined> {
  for (let next: Ask<Items> | null = ask; next !== null; ) {
    const page: PagedResult<Items> = await next(call);
    if (!page.status) {
      if (page.errorCode === "NO_ITEMS") return;
      if (page.httpStatus !== 429 || page.retryAfterMs === undefined) throw errorOf(page);
      await pause(waitAfterFailure(1, page.retryAfterMs, Infinity), call?.signal);
      continue;
    }
    yield* flatten(page.items);
    next = page.next;
  }
}

function flatten<Items>(items: Items): Entry<Items>[] {
  if (Array.isArray(items)) return items;
  const lists = Object.entries(items as Record<string, object[]>);
  const entries = lists.flatMap(([name, list]) => {
    const kind = name === "stores" ? "store" : name;
    return list.map((entry) => ({ kind, ...entry }));
  });
  return entries as Entry<Items>[];
}

import { linkOf } from "../../scripts/lib/call.ts";
import { type Answer, send } from "./api.ts";
import { exportToken } from "./tokens.ts";

export const EXPORT = "/api/v1/feed";

/** Reads one page of an export. The body is its lines. */
export async function exportPage(target = EXPORT): Promise<Answer> {
  return send(target, { headers: { Authorization: `Bearer ${await exportToken()}` } });
}

/** The path of the next page. */
export function nextPage(answer: Answer): string | undefined {
  const url = linkOf(answer);
  return url?.slice(new URL(url).origin.length);
}

export const exportPages = (target = EXPORT): Promise<Answer[]> => allPages(target, exportPage);

/** Reads this page of a list and all that follow. */
export async function allPages(target: string, readPage: (path: string) => Promise<Answer>): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const page = await readPage(next);
    if (page.status !== 200) throw new Error(`refused: ${JSON.stringify(page.body)}`);
    pages.push(page);
    next = nextPage(page);
  }
  return pages;
}

/** The lines of these kinds of records, from all pages of an export. */
export async function exported(...kinds: string[]): Promise<Record<string, unknown>[]> {
  const pages = await exportPages(`${EXPORT}?record=${kinds.join(",")}`);
  return pages.flatMap(({ body }) => body);
}

import * as z from "zod";
import { NO_CURSOR } from "../../http/paging.ts";
import { AccountId, mustBe, Name } from "../../values/text.ts";
import type { AccountBalance } from "./answer-schema.ts";

/** How many accounts an answer has. */
export const BALANCES_LIMIT = 1_000;

/** The last account of an answer. */
export interface Cursor {
  company: string;
  accountId: string;
}

/** A cursor as a link carries it: `101 Blue Cup Coffee`. */
const CursorParameter = z.string({ error: mustBe("a cursor") }).transform((text, context): Cursor => {
  const [, accountId = "", company] = /^(\d+) (.*)$/su.exec(text) ?? [];
  if (company !== undefined && AccountId.safeParse(accountId).success && Name.safeParse(company).success)
    return { company, accountId };
  context.addIssue(NO_CURSOR);
  return z.NEVER;
});

/** The query of `/me` (docs/contract/interface.md, 4.8). */
export const MeQuery = z.object({
  after: CursorParameter.optional().describe("Set in links to further balances only."),
});

export function cursorAfter({ company, account_id }: AccountBalance): string {
  return `${account_id} ${company}`;
}

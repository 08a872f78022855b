import * as z from "zod";
import { NO_CURSOR } from "../../http/paging.ts";
import { ID_LIMIT, mustBe } from "../../values/text.ts";
import { isDatetime } from "../../values/time.ts";
import { NEVER } from "../../values/time-zone.ts";
import { COUPON_KINDS, type CouponKind } from "./kinds.ts";
import type { ItemRow } from "./queries.ts";

/** A cursor in both coupon lists: the last coupon of an answer. */
export interface Cursor {
  kind: CouponKind;
  endsAt: string;
  createdAt: string;
  id: string;
  /** How many items of this page came with the answers before, because they did not fit one. */
  sent: number;
}

const CURSOR = new RegExp(
  `^(${COUPON_KINDS.join("|")}) (${NEVER}|.{19}) (.{19}) ([1-9]\\d{0,2}) (.{1,${ID_LIMIT}})$`,
  "su",
);

/** A cursor as a link carries it: `store never 2026-01-02 00:00:00 250 cc17`. */
export const CursorParameter = z
  .string({ error: mustBe("a cursor") })
  .transform((text, context): Cursor => {
    const [, kind, endsAt = "", createdAt = "", sent, id = ""] = CURSOR.exec(text) ?? [];
    if ((endsAt === NEVER || isDatetime(endsAt)) && isDatetime(createdAt))
      return { kind: kind as CouponKind, endsAt, createdAt, id, sent: Number(sent) };
    context.addIssue(NO_CURSOR);
    return z.NEVER;
  })
  .optional()
  .describe("Set in links to the rest of a list only.");

/** Where an answer ends, as the link to the rest carries it; `before` is where it began. */
export function cursorAfter(shown: readonly ItemRow[], before: Cursor | undefined): string | undefined {
  const last = shown.at(-1);
  if (last === undefined) return undefined;
  const sent = (before?.sent ?? 0) + shown.length;
  const [endsAt, createdAt, id] = JSON.parse(last.place).slice(4);
  return `${last.part} ${endsAt} ${createdAt} ${sent} ${id}`;
}

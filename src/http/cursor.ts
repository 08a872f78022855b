import * as z from "zod";
import { parseObject } from "../values/json.ts";
import { mustBe } from "../values/text.ts";

/** The error text of an `after` that no link gave. */
export const NO_CURSOR = "must be as a Link header gave it";

/** An optional `after` as a link carries it: as JSON. The schema gives undefined for an object that is no cursor. */
export function cursorParameter<Cursor extends object>(schema: z.ZodType<Cursor | undefined>) {
  return z
    .string({ error: mustBe("a cursor") })
    .transform((text, context): Cursor => {
      const cursor = schema.safeParse(parseObject(text)).data;
      if (cursor === undefined) context.addIssue(NO_CURSOR);
      return cursor ?? z.NEVER;
    })
    .optional()
    .describe("Set in links to the rest of a list only.");
}

/** What the reference says of the `Link` header of a list without page numbers. */
export const NEXT_LINK_NOTE = {
  description: "The address of the rest of the list, if it does not fit one answer (RFC 8288).",
  example: '<https://loyalty.example/api/v1/customer/me?after=…>; rel="next"',
};

/** The `Link` header of an answer that is followed by another, where pages have no numbers. */
export function nextLink(requestUrl: string, after: object): string {
  const url = new URL(requestUrl);
  url.searchParams.set("after", JSON.stringify(after));
  return `<${url}>; rel="next"`;
}

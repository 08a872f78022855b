import * as z from "zod";
import { parseObject } from "../values/json.ts";
import { mustBe } from "../values/text.ts";

export const BAD_CURSOR = "must be as a Link header gave it";

/** An optional `after`, which is JSON. The schema may give undefined for an object that is not a cursor. */
export function cursorParameter<Cursor extends object>(schema: z.ZodType<Cursor | undefined>) {
  return z
    .string({ error: mustBe("a cursor") })
    .transform((text, context): Cursor => {
      const cursor = schema.safeParse(parseObject(text)).data;
      if (cursor === undefined) context.addIssue(BAD_CURSOR);
      return cursor ?? z.NEVER;
    })
    .optional()
    .describe("Set in links to the rest of a list only.");
}

/** A `Link` header (RFC 8288) to the items after a cursor. */
export function nextLink(requestUrl: string, after: object): string {
  const url = new URL(requestUrl);
  url.searchParams.set("after", JSON.stringify(after));
  return `<${url}>; rel="next"`;
}

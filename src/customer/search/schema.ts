import * as z from "zod";
import { optionalText, PARAMETER_LIMIT, partsOf, TextParameter } from "../../values/parameter.ts";
import { codePoints, mustBe } from "../../values/text.ts";
import { LISTS } from "./scope.ts";

const SHORTEST_QUERY = 3;

const Lists = TextParameter.transform((text, context) => {
  const lists = LISTS.filter((list) => partsOf(text).includes(list));
  const isKnown = partsOf(text).every((part) => lists.some((list) => list === part));
  if (!isKnown) context.addIssue(`must be any of ${LISTS.join(", ")}, comma-separated`);
  return lists;
});

/**
 * The body of a search (docs/contract/interface.md, 4.6). A filter of commas and blanks only counts as none.
 */
export const FullSearchBody = z.object({
  query: z
    .string({ error: mustBe("a string") })
    .trim()
    .pipe(
      TextParameter.refine(
        (text) => codePoints(text) >= SHORTEST_QUERY,
        `must be at least ${SHORTEST_QUERY} characters`,
      ),
    )
    .meta({
      type: "string",
      minLength: SHORTEST_QUERY,
      maxLength: PARAMETER_LIMIT,
      description: "Each word must begin some word of the records found.",
    }),
  filter: optionalText(Lists)
    .transform((lists) => (lists === undefined || lists.length === 0 ? [...LISTS] : lists))
    .meta({
      type: "string",
      default: LISTS.join(","),
      description: "The kinds to look for, with commas between them.",
    }),
  typos: z
    .boolean({ error: mustBe("true or false") })
    .default(true)
    .describe("Whether records with words one typo away are found where every list would be empty."),
});

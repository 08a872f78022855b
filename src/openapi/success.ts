import * as z from "zod";

/** The body of a call that went well, with its data in `items`. */
export function success<Items extends z.ZodType>(items: Items) {
  return z.object({ status: z.literal(true), items });
}

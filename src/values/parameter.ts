import * as z from "zod";
import { mustBe, text } from "./text.ts";

/** A flag in a query: `true`, `false`, `1` or `0`, in any case. */
export const BooleanParameter = z
  .string({ error: mustBe("true or false, given once") })
  .regex(/^(true|false|1|0)$/i, "must be true or false")
  .transform((value) => /^(true|1)$/i.test(value));

/** A request's text: at most 100 characters, given once. */
export const TextParameter = text(100);

/** A list in a query: repeated and comma-separated mean the same, blanks around a part and empty parts are dropped. */
export function listParameter<Item extends z.ZodType<unknown, string>>(item: Item) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) =>
      [given]
        .flat()
        .flatMap((one) => one.split(","))
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .pipe(z.array(item));
}

/** An optional text of a JSON body, in which `""` and null mean absent. */
export function optionalText<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === "" || value === null ? undefined : value), schema.optional());
}

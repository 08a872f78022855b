import * as z from "zod";
import { mustBe, text } from "./text.ts";

/** A flag in a query: `true`, `false`, `1` or `0`, in any case. */
export const BooleanParameter = z
  .string({ error: mustBe("true or false") })
  .regex(/^(true|false|1|0)$/i, "must be true or false")
  .transform((value) => /^(true|1)$/i.test(value))
  .meta({ type: "boolean" });

export const PARAMETER_LIMIT = 100;
export const TextParameter = text(PARAMETER_LIMIT);

/** The items of a comma-separated list, trimmed, without empty items. */
export function itemsOfList(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A list in a query: repeated, comma-separated, or both. */
export function listParameter<Item extends z.ZodType<unknown, string>>(item: Item) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((texts) => [texts].flat().flatMap(itemsOfList))
    .pipe(z.array(item))
    .meta({ type: "array", items: { type: "string" } });
}

/** In a JSON body, an empty text and null mean that a field is absent. */
export function undefinedIfEmpty(value: unknown): unknown {
  return value === "" || value === null ? undefined : value;
}

/** An optional text of a JSON body, in which `""` and null mean absent. */
export function optionalText<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(undefinedIfEmpty, schema.optional());
}

import * as z from "zod";
import { SHORT_TEXT_LIMIT, text } from "./text.ts";

function isExact(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

/** A passed-through field: any JSON string, number, boolean or null (docs/contract/feed.md, 3). */
function scalar(limit: number) {
  return z
    .union(
      [text(limit), z.number().refine(isExact, "must be a number that can be stored exactly"), z.boolean(), z.null()],
      { error: (issue) => (issue.input === undefined ? "is required" : "must be a string, number, boolean or null") },
    )
    .describe("As the merchant's system gave it.");
}

// The id gives a generated client one type for these fields instead of 150 types.
export const PassedThrough = scalar(SHORT_TEXT_LIMIT).meta({ id: "PassedThrough" });

export function passedThrough(defaultValue: null | 0 | "", limit?: number) {
  return (limit === undefined ? PassedThrough : scalar(limit)).default(defaultValue);
}

type Words<Names extends string> = Names extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Names;

/** Passed-through fields with the same default. Each text lists names, separated by spaces. */
export function allPassedThrough<const Names extends string>(defaultValue: null | 0 | "", ...texts: Names[]) {
  const fields = texts.flatMap((text) => text.split(" ")).map((name) => [name, passedThrough(defaultValue)]);
  return Object.fromEntries(fields) as Record<Words<Names>, ReturnType<typeof passedThrough>>;
}

/**
 * `schema`, with a default for a field that is absent or null. The reference shows the default, so it must be a value that
 * clients may send: transform the result instead of the default.
 */
export function withDefault<Schema extends z.ZodType>(
  schema: Schema,
  fallback: NoInfer<z.core.util.NoUndefined<z.output<Schema>> & z.input<Schema>>,
) {
  return z.preprocess((value) => value ?? undefined, schema.default(fallback));
}

export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().default(null);
}

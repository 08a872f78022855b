import * as z from "zod";
import { FIELD_LIMIT, text } from "./text.ts";

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

// Named, so that a generated client has one type of them and not one for each of 150 fields.
export const PassedThrough = scalar(FIELD_LIMIT).meta({ id: "PassedThrough" });

/** A passed-through field with the value that it has when it is left out. */
export function passedThrough(whenLeftOut: null | 0 | "", limit?: number) {
  return (limit === undefined ? PassedThrough : scalar(limit)).default(whenLeftOut);
}

type Words<Line extends string> = Line extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Line;

/** Passed-through fields that have the same value when they are left out, by their names with blanks between them. */
export function allPassedThrough<const Line extends string>(whenLeftOut: null | 0 | "", ...lines: Line[]) {
  const fields = lines.flatMap((line) => line.split(" ")).map((name) => [name, passedThrough(whenLeftOut)]);
  return Object.fromEntries(fields) as Record<Words<Line>, ReturnType<typeof passedThrough>>;
}

// Both end on a schema, not on a function, so that what they give out can be documented.

/**
 * `schema`, with `fallback` when the field is left out or null: null is not a value of a field that is not nullable.
 * The fallback is a value that may also be sent, because the reference says it as the default: transform what this
 * gives.
 */
export function orElse<Schema extends z.ZodType>(
  schema: Schema,
  fallback: NoInfer<z.core.util.NoUndefined<z.output<Schema>> & z.input<Schema>>,
) {
  return z.preprocess((value) => value ?? undefined, schema.default(fallback));
}

/** `schema`, or null, which is also its value when the field is left out. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().default(null);
}

import fc from "fast-check";
import * as z from "zod";
import { hostileValue } from "./hostile.ts";

/** The part of JSON Schema that the schemas of requests use. */
interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
}

/** Makes plausible values for a field by its name, such as ids that are stored. */
export type Plausible = (field: string) => fc.Arbitrary<unknown>;

/** Objects that fit a schema. `plausible` makes the texts. */
export function fitting(schema: z.ZodObject, plausible: Plausible): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as JsonSchema;
  const fields = Object.entries(properties).map(([name, its]) => [name, fittingValue(name, its, plausible)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

function fittingValue(field: string, schema: JsonSchema, plausible: Plausible): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => fittingValue(field, choice, plausible)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const { minimum: min = -1_000, maximum: max = 1_000 } = schema;
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(fc.integer({ min: Math.max(min, -1e9), max: Math.min(max, 1e9) }), fc.constantFrom(min, max));
    case "number":
      return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max));
    case "array":
      return fc.array(fittingValue(field, schema.items ?? {}, plausible), { maxLength: 4 });
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, its]) => [name, fittingValue(name, its, plausible)]),
        ),
        { requiredKeys: schema.required ?? [] },
      );
    default:
      return plausible(field);
  }
}

/** Objects that nearly fit: in most of them, one to three fields are left out or get hostile values. */
export function nearly(
  objects: fc.Arbitrary<Record<string, unknown>>,
  fields: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const change = fc.record({
    field: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fields, "deleted") }, fc.constant("__proto__")),
    value: hostileValue,
  });
  const changes = fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
  );
  return fc.tuple(objects, changes).map(([object, changed]) => ({
    ...object,
    ...Object.fromEntries(changed.map(({ field, value }) => [field, value])),
  }));
}

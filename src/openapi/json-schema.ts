import * as z from "zod";

export type JsonSchema = Record<string, unknown>;

/** The schemas of the document that have a name of their own (`.meta({ id })`), by that name. */
export type Components = Record<string, JsonSchema>;

/**
 * The JSON Schema (2020-12) of what a client sends (`input`) or gets (`output`). Named schemas, and objects inside one,
 * go into `components` and are referred to.
 * @param name of the schema itself; left out where only what is inside it is wanted.
 */
export function toJsonSchema(
  schema: z.ZodType,
  io: "input" | "output",
  components: Components,
  name?: string,
): JsonSchema {
  const {
    $schema,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { target: "draft-2020-12", io, unrepresentable: "any", override: byMetadata });
  const { root, defs } = JSON.parse(
    JSON.stringify({ root: own, defs: $defs }).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { root: JsonSchema; defs: Components };
  for (const [id, { id: _, ...component }] of Object.entries(defs)) components[id] = component;
  if (name === undefined || root.properties === undefined) return root;
  components[name] = root;
  return { $ref: `#/components/schemas/${name}` };
}

/** `team_breakdown` and `fullSearch` as the name of a type. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * A schema whose metadata names a type is described by its metadata alone: it says what to send, and passes over the
 * other forms that are taken, such as a number as text. A default is said even where the value is changed on its way.
 */
function byMetadata({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  const { def } = zodSchema._zod;
  if (def.type === "default") jsonSchema.default = def.defaultValue;
  // What is only the range of JavaScript's whole numbers says nothing.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  const metadata = z.globalRegistry.get(zodSchema);
  if (metadata?.type === undefined) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, metadata);
}

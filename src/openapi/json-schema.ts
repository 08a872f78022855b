import * as z from "zod";

export type JsonSchema = Record<string, unknown>;

/** The named schemas of the document (`.meta({ id })`), by name. */
export type Components = Record<string, JsonSchema>;

/**
 * The JSON Schema (2020-12) of data that a client sends (`input`) or receives (`output`). Named schemas inside it are
 * moved to `components` and referenced.
 * @param name moves the schema itself to `components` too.
 */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output", components: Components, name?: string) {
  const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: "any", override: byMetadata }));
  const { $schema, $defs, ...root }: JsonSchema = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [id, { id: _, ...component }] of Object.entries(($defs ?? {}) as Components)) components[id] = component;
  if (name === undefined || root.properties === undefined) return root;
  components[name] = root;
  return { $ref: `#/components/schemas/${name}` };
}

/** `TeamBreakdown` for `team_breakdown`, `FullSearch` for `fullSearch`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * If a schema's metadata has a `type`, the metadata replaces the JSON Schema. It describes the recommended form only, and
 * not the other accepted forms, such as a number as text. Defaults are kept even if the schema transforms its value.
 */
function byMetadata({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  const { def } = zodSchema._zod;
  if (def.type === "default") jsonSchema.default = def.defaultValue;
  // Zod adds the range of JavaScript's safe integers, which is no rule of the contract.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  const metadata = z.globalRegistry.get(zodSchema);
  if (metadata?.type === undefined) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  Object.assign(jsonSchema, metadata);
}

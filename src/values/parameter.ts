import * as z from "zod";
import type { FieldMessages } from "./messages.ts";
import { ID_LIMIT, Id, mustBe, text } from "./text.ts";

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
  return listOf(item, itemsOfList);
}

/** A list of ids in a query. An id may have commas, so `a,b` also stands for the one id `a,b`. */
export const IdsParameter = listOf(Id, (text) => {
  const items = itemsOfList(text);
  const whole = text.trim();
  return items.length > 0 && items[0] !== whole && Id.safeParse(whole).success ? [...items, whole] : items;
});

function listOf<Item extends z.ZodType<unknown, string>>(item: Item, itemsOf: (text: string) => string[]) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((texts) => [texts].flat().flatMap(itemsOf))
    .pipe(z.array(item))
    .meta({ type: "array", items: { type: "string" } });
}

/** A word of a closed set, in any case. */
export function wordParameter<const Word extends string>(words: readonly Word[], error: string) {
  return z.string({ error }).toLowerCase().pipe(z.enum(words, { error }));
}

/** An id in a JSON body. A whole number counts as its digits: a campaign in a search result has its `account_id` as one. */
export const IdInBody = inBody(Id);

/** An id in a JSON body, with the rules of a schema of ids. */
export function inBody(id: z.ZodType<string, string>): z.ZodType<string, string | number> {
  const schema = z.preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), id);
  // The cast says what a client may send, which `preprocess` does not know.
  return schema.meta({ type: ["string", "integer"], minLength: 1, maxLength: ID_LIMIT }) as z.ZodType<
    string,
    string | number
  >;
}

/** In a JSON body, an empty text and null mean that a field is absent. */
export function undefinedIfEmpty(value: unknown): unknown {
  return value === "" || value === null ? undefined : value;
}

/** An optional field of a JSON body in which null means absent. */
export function unlessNull<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => value ?? undefined, schema);
}

/** An optional text of a JSON body, in which `""` and null mean absent. */
export function optionalText<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(undefinedIfEmpty, schema.optional());
}

/** The parameters of a query by name: an array for one that is repeated, and no empty ones. */
type Query = Record<string, string | string[]>;

/**
 * Reads a query in which `name[]` and `name[0]` are `name` for a list, as many languages write it.
 * @param known the schemas of the known parameters by name.
 * @returns `misspelt`: the texts for known parameters with other brackets.
 */
export function readQuery(queries: Readonly<Record<string, string[]>>, known: Readonly<Record<string, z.ZodType>>) {
  // A map, because a name may be `__proto__`.
  const values = new Map<string, string[]>();
  const misspelt: FieldMessages = {};
  for (const [spelling, texts] of Object.entries(queries)) {
    const [, name = spelling, brackets = ""] = /^([^[\]]+)(\[.*)$/s.exec(spelling) ?? [];
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (brackets === "" || (schema && isList(schema) && /^\[\d*\]$/.test(brackets)))
      values.set(name, [...(values.get(name) ?? []), ...texts]);
    else if (schema !== undefined) misspelt[name] = [`must be given as ${name}, without ${brackets.slice(0, 20)}`];
  }
  const given = [...values].filter(([, texts]) => texts.length > 1 || texts[0] !== "");
  const query: Query = Object.fromEntries(
    given.map(([name, texts]) => [name, texts.length > 1 ? texts : (texts[0] ?? "")]),
  );
  return { query, misspelt };
}

function isList(schema: z.core.$ZodType): boolean {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return z.globalRegistry.get(schema)?.type === "array" || (innerType !== undefined && isList(innerType));
}

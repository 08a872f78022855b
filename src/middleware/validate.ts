import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import type * as z from "zod";
import { type AppEnv, finish } from "../app-env.ts";
import { Admission } from "../http/admission.ts";
import { BODY_OF_GET, JSON_BODY_LIMIT, readBody } from "../http/body.ts";
import { invalid, malformedBody } from "../http/errors.ts";
import { decodeUtf8, readObject } from "../values/json.ts";
import { fieldMessages } from "../values/messages.ts";
import { readQuery } from "../values/parameter.ts";

/** The bodies of customers' and tills' requests. */
const admission = new Admission({ bytes: 8 * 1024 * 1024 });

/** A middleware after which `c.req.valid(target)` has the output of the schema. */
type Validator<Target extends "json" | "query", Schema extends z.ZodType> = MiddlewareHandler<
  AppEnv,
  string,
  { in: { [T in Target]: z.input<Schema> }; out: { [T in Target]: z.output<Schema> } }
>;

/** For the reference: the schemas of validators. */
const schemas = new WeakMap<object, { query?: z.ZodObject; json?: z.ZodType }>();

export const schemasOf = (handler: object) => schemas.get(handler) ?? {};

/**
 * Validates the query, and reports every bad parameter at once. An empty parameter counts as absent. Parameters in a body
 * would be ignored, so a body is refused.
 */
export function validateQuery<Schema extends z.ZodObject>(schema: Schema): Validator<"query", Schema> {
  const check = zValidator("query", schema, undefined, {
    validationFunction: (_, texts) => ({ success: true, data: parseQuery(schema, texts) }),
  }) as MiddlewareHandler as Validator<"query", Schema>;
  const validator: Validator<"query", Schema> = async (c, next) => {
    if (c.req.raw.body !== null && !EMPTY_BODY.test((await readText(c)) ?? "not UTF-8"))
      throw malformedBody(BODY_OF_GET);
    return check(c, next);
  };
  schemas.set(validator, { query: schema });
  return validator;
}

/**
 * Parses a query.
 * @param texts the text of each name; of a repeated name, its texts.
 * @throws the failure 422 that names every bad parameter.
 */
function parseQuery<Schema extends z.ZodObject>(schema: Schema, texts: Readonly<Record<string, string | string[]>>) {
  const lists = Object.fromEntries(Object.entries(texts).map(([name, own]) => [name, [own].flat()]));
  const { query, misspelt } = readQuery(lists, schema.shape);
  const { data, error } = schema.safeParse(query);
  const bad = error === undefined ? {} : { ...fieldMessages(error), ...repeatedParameters(query, error) };
  const all = { ...bad, ...misspelt };
  if (Object.keys(all).length > 0) throw invalid(all);
  return data;
}

const EMPTY_BODY = /^\s*(?:\{\s*\})?\s*$/;

/** The texts for bad parameters that were repeated. A list may be repeated: its errors are in its items. */
function repeatedParameters(query: Readonly<Record<string, unknown>>, { issues }: z.core.$ZodError) {
  const names = issues.flatMap(({ path: [name, ...inner] }) => (inner.length === 0 ? [String(name)] : []));
  const repeated = names.filter((name) => Array.isArray(query[name]));
  return Object.fromEntries(repeated.map((name) => [name, ["must be given once"]]));
}

function readText(c: Context<AppEnv>): Promise<string | null> {
  const reading = admission.letIn(
    `${c.var.till === undefined ? "customer" : "till"} ${(c.var.till?.subject ?? c.var.customerId) || ""}`,
    (onBytes) => readBody(c.req.raw, JSON_BODY_LIMIT, onBytes),
    async (bytes) => decodeUtf8(bytes),
  );
  return finish(c, reading);
}

/**
 * Validates a body, which must be a JSON object within the size limit, whatever its `Content-Type`. An empty body counts as
 * `{}`. zValidator does not fit: it reads a body without a limit, and ignores a body of another type.
 * @param complete adds fields that the body lacks.
 */
export function validateBody<Schema extends z.ZodType>(
  schema: Schema,
  complete = (body: Readonly<Record<string, unknown>>, _: Context): object => body,
): Validator<"json", Schema> {
  const validator: Validator<"json", Schema> = async (c, next) => {
    const text = await readText(c);
    const body = text === null ? "must be UTF-8" : readObject(text.trim() || "{}");
    if (typeof body === "string") throw malformedBody(body);
    const { data, error } = schema.safeParse(complete(body, c));
    if (error !== undefined) throw invalid(fieldMessages(error));
    c.req.addValidatedData("json", data as object);
    await next();
  };
  schemas.set(validator, { json: schema });
  return validator;
}

import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";
import { type AppEnv, finish } from "../app-env.ts";
import { Admission } from "../http/admission.ts";
import { JSON_BODY_LIMIT, readBody } from "../http/body.ts";
import { invalid, malformedBody } from "../http/errors.ts";
import { decodeUtf8, parseObject } from "../values/json.ts";
import { fieldMessages } from "../values/messages.ts";

/** The bodies of customers' requests. */
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

/** Validates the query, and reports every bad parameter at once. An empty parameter counts as absent. */
export function validateQuery<Schema extends z.ZodObject>(schema: Schema): Validator<"query", Schema> {
  // Dropping empty parameters does not change the schema's types, so the cast keeps them.
  const checked = z.preprocess(withoutEmpty, schema) as unknown as Schema;
  const validator = zValidator("query", checked, (result) => {
    if (result.success) return;
    const repeated = repeatedParameters(result.data as Readonly<Record<string, unknown>>, result.error);
    throw invalid({ ...fieldMessages(result.error), ...repeated });
  }) as MiddlewareHandler as Validator<"query", Schema>;
  schemas.set(validator, { query: schema });
  return validator;
}

function withoutEmpty(query: unknown): object {
  return Object.fromEntries(Object.entries(query as object).filter(([, value]) => value !== ""));
}

/** The texts for bad parameters that were repeated. A list may be repeated: its errors are in its items. */
function repeatedParameters(query: Readonly<Record<string, unknown>>, { issues }: z.core.$ZodError) {
  const names = issues.flatMap(({ path: [name, ...inner] }) => (inner.length === 0 ? [String(name)] : []));
  const repeated = names.filter((name) => Array.isArray(query[name]));
  return Object.fromEntries(repeated.map((name) => [name, ["must be given once"]]));
}

/**
 * Validates a body, which must be a JSON object within the size limit, whatever its `Content-Type`. zValidator does not fit:
 * it reads the body by itself, without a limit, and ignores a body of another type.
 * @param complete adds fields that the body lacks.
 */
export function validateBody<Schema extends z.ZodType>(
  schema: Schema,
  complete = (body: Readonly<Record<string, unknown>>, _: Context): object => body,
): Validator<"json", Schema> {
  const validator: Validator<"json", Schema> = async (c, next) => {
    const reading = admission.letIn(
      c.var.customerId,
      (onBytes) => readBody(c.req.raw, JSON_BODY_LIMIT, onBytes),
      async (bytes) => decodeUtf8(bytes),
    );
    const text = await finish(c, reading);
    const body = text === null ? null : parseObject(text);
    if (body === null) throw malformedBody();
    const { data, error } = schema.safeParse(complete(body, c));
    if (error !== undefined) throw invalid(fieldMessages(error));
    c.req.addValidatedData("json", data as object);
    await next();
  };
  schemas.set(validator, { json: schema });
  return validator;
}

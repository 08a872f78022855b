import { zValidator } from "@hono/zod-validator";
import * as z from "zod";
import { JSON_BODY_LIMIT, readBody } from "../http/body.ts";
import { invalid, malformedBody } from "../http/errors.ts";
import { annotate, middleware, type Notes } from "../openapi/notes.ts";
import { decodeUtf8, parseObject } from "../values/json.ts";
import { fieldMessages } from "../values/messages.ts";

/** Validates one part of a request and reports every bad field at once. An empty query parameter counts as absent. */
export function validate<Schema extends z.ZodType, Target extends "json" | "query" | "param">(
  target: Target,
  schema: Schema,
) {
  // Dropping empty parameters does not change the schema's types, so the cast keeps them.
  const checked = target === "query" ? (z.preprocess(withoutEmpty, schema) as unknown as Schema) : schema;
  const validator = zValidator(target, checked, (result) => {
    if (result.success) return;
    const messages = fieldMessages(result.error);
    for (const field of target === "query" ? repeatedFields(result.data, result.error) : [])
      messages[field] = ["must be given once"];
    throw invalid(messages);
  });
  return annotate(validator, notesOn(target, schema));
}

/** The bad query parameters that were repeated. A list may be repeated: its errors are in its items. */
function repeatedFields(query: unknown, error: z.core.$ZodError): string[] {
  const repeated = new Map(Object.entries(query as object).filter(([, value]) => Array.isArray(value)));
  return error.issues.flatMap(({ path }) =>
    path.length === 1 && repeated.has(String(path[0])) ? [String(path[0])] : [],
  );
}

function notesOn(target: "json" | "query" | "param", schema: z.ZodType): Notes {
  const failures = ["InvalidFields"] as const;
  if (target === "json") return { body: { mediaType: "application/json", schema }, failures };
  const parameters = { in: target === "param" ? "path" : "query", schema: schema as z.ZodObject } as const;
  return target === "param" ? { parameters } : { parameters, failures };
}

function withoutEmpty(query: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query as object).filter(([, value]) => value !== ""));
}

const JSON_TYPE = "application/json";

/** Requires a JSON object within the size limit, whatever the `Content-Type`. */
export const jsonBody = middleware(
  { failures: ["MalformedBody", "RequestTimeout", "PayloadTooLarge"] },
  async (c, next) => {
    const text = decodeUtf8(await readBody(c.req.raw, JSON_BODY_LIMIT));
    if (text === null || parseObject(text) === null) throw malformedBody();
    // Hono looks in its cache before it reads a body. A new request with the body would take longer than many queries.
    c.req.bodyCache.text = Promise.resolve(text) as never;
    if (c.req.header("Content-Type") !== JSON_TYPE) c.req.raw = asJson(c.req.raw);
    await next();
  },
);

/** A copy of the request with the `Content-Type` of JSON. Its body has been read. */
function asJson({ url, method, headers }: Request): Request {
  const changed = new Headers(headers);
  changed.set("Content-Type", JSON_TYPE);
  return new Request(url, { method, headers: changed });
}

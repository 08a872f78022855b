import type { Context, MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { AppEnv } from "../app-env.ts";
import { JSON_BODY_LIMIT, readBody } from "../http/body.ts";
import { invalid, malformedBody } from "../http/errors.ts";
import { annotate, type Notes } from "../openapi/notes.ts";
import { decodeUtf8, parseObject } from "../values/json.ts";
import { fieldMessages } from "../values/messages.ts";

type Part = "json" | "query" | "param";

/** Takes one part of a request for `c.req.valid`. */
export function take<P extends Part, Out extends object, In = Out>(
  part: P,
  read: (c: Context<AppEnv>) => Promise<Out>,
): MiddlewareHandler<AppEnv, string, { in: Record<P, In>; out: Record<P, Out> }> {
  return async (c, next) => {
    c.req.addValidatedData(part, await read(c));
    await next();
  };
}

/** Checks one part of a request and names every bad field at once. */
export function validate<Schema extends z.ZodType<object>, P extends Part>(part: P, schema: Schema) {
  const checked = take<P, z.output<Schema>, z.input<Schema>>(part, async (c) => {
    const value = part === "json" ? await readJson(c) : part === "query" ? queryOf(c) : c.req.param();
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw invalid({ ...fieldMessages(result.error), ...(part === "query" && repeatedFields(value, result.error)) });
  });
  return annotate(checked, notesOn(part, schema));
}

/** The parameters of a query, as lists where they are repeated. An empty one counts as absent. */
function queryOf({ req }: Context<AppEnv>): Record<string, unknown> {
  const given = Object.entries(req.queries()).map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

/** The bad parameters of a query that were repeated, other than lists: of a list, only its items are bad. */
function repeatedFields(query: Record<string, unknown>, { issues }: z.core.$ZodError): Record<string, string[]> {
  const repeated = issues.filter(({ path }) => path.length === 1 && Array.isArray(query[String(path[0])]));
  return Object.fromEntries(repeated.map(({ path }) => [String(path[0]), ["must be given once"]]));
}

function notesOn(part: Part, schema: z.ZodType): Notes {
  if (part === "json") {
    const failures = ["MalformedBody", "RequestTimeout", "PayloadTooLarge", "InvalidFields"] as const;
    return { body: { mediaType: "application/json", schema }, failures };
  }
  const parameters = { in: part === "param" ? "path" : "query", schema: schema as z.ZodObject } as const;
  return part === "param" ? { parameters } : { parameters, failures: ["InvalidFields"] };
}

/** The body, which must be a JSON object within the limit, whatever its `Content-Type` says. */
export async function readJson({ req }: Context<AppEnv>): Promise<Record<string, unknown>> {
  const text = decodeUtf8(await readBody(req.raw, JSON_BODY_LIMIT));
  const body = text === null ? null : parseObject(text);
  if (body === null) throw malformedBody();
  return body;
}

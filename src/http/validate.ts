import { zValidator } from "@hono/zod-validator";
import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { annotate, type Notes } from "../openapi/notes.ts";
import { fieldMessages } from "../values/messages.ts";
import { type BodyLimit, readBody } from "./body.ts";
import type { AppEnv } from "./context.ts";
import { invalid, malformedBody } from "./errors.ts";

/** Checks one part of a request and names every bad field at once. An empty parameter of a query counts as absent. */
export function validate<Schema extends z.ZodType, Target extends "json" | "query" | "param">(
  target: Target,
  schema: Schema,
) {
  // The cast keeps the types of the schema itself: leaving out empty parameters changes none of them.
  const checked = target === "query" ? (z.preprocess(withoutEmpty, schema) as unknown as Schema) : schema;
  const validator = zValidator(target, checked, (result) => {
    if (!result.success) throw invalid(fieldMessages(result.error));
  });
  return annotate(validator, notesOn(target, schema));
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

const BODY_LIMIT: BodyLimit = { bytes: 64 * 1024, name: "64 KiB" };

/** Makes sure that the body is a JSON object of at most 64 KiB, whatever its `Content-Type` says. */
export function jsonBody(): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const body = await readBody(c.req.raw, BODY_LIMIT);
    if (!isJsonObject(body)) throw malformedBody();
    const headers = new Headers(c.req.raw.headers);
    headers.set("Content-Type", "application/json");
    c.req.raw = new Request(c.req.raw.url, { method: c.req.method, headers, body });
    await next();
  };
  return annotate(handler, { failures: ["MalformedBody", "PayloadTooLarge"] });
}

function isJsonObject(body: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import type { AppEnv } from "../app-env.ts";
import { annotate, type Operation } from "./notes.ts";

/** Describes the endpoint in whose chain it stands, first. It does nothing to a request. */
export function describe(operation: Operation): MiddlewareHandler<AppEnv> {
  const { body } = operation;
  return annotate<MiddlewareHandler<AppEnv>>((_, next) => next(), { operation, ...(body && { body }) });
}

/** The body of a call that went well, with its data in `items`. */
export function success<Items extends z.ZodType>(items: Items) {
  return z.object({ status: z.literal(true), items });
}

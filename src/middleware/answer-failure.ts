import type { Context } from "hono";
import type { AppEnv } from "../app-env.ts";
import { failureOf, internalError } from "../http/errors.ts";

/** Answers whatever was thrown: a failure of the API as it is, a bug without its cause. */
export function answerFailure(error: Error, c: Context<AppEnv>): Response {
  const { body, status, headers } = failureOf(error) ?? internalError(c.var.requestId);
  return c.json(body, status, headers);
}

import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { NotLetIn } from "../auth/errors.ts";
import { noUsage } from "../db/database.ts";
import { failureOf } from "../http/errors.ts";
import { annotate } from "../openapi/notes.ts";
import { nameInLog } from "../programs/programs.ts";

/**
 * Names the request, times it, and writes its one log line: the route's pattern, never its path, query, token or body,
 * because those say who somebody is.
 */
export function observe(): MiddlewareHandler<AppEnv> {
  const handler: MiddlewareHandler<AppEnv> = async (c, next) => {
    const startedAt = performance.now();
    const requestId = crypto.randomUUID();
    c.set("requestId", requestId);

    await next();

    const usage = c.var.db?.usage ?? noUsage();
    const timing = [`d1;dur=${usage.milliseconds.toFixed(1)}`, `trips;desc="${usage.roundTrips}"`];
    if (isDevelopment(c.env)) timing.push(`rows;desc="${usage.rowsRead}"`, `written;desc="${usage.rowsWritten}"`);
    if (isDevelopment(c.env)) timing.push(`sql;dur=${usage.sqlMilliseconds}`);
    // Not by `c.header()`, which makes a finished response anew for each header.
    c.res.headers.set("X-Request-Id", requestId);
    c.res.headers.set("Server-Timing", timing.join(", "));

    console.log(
      JSON.stringify({
        requestId,
        ...(c.var.program === undefined ? {} : nameInLog(c.var.program)),
        method: c.req.method,
        route: routePath(c, -1),
        status: c.res.status,
        milliseconds: Math.round(performance.now() - startedAt),
        d1Milliseconds: Math.round(usage.milliseconds),
        roundTrips: usage.roundTrips,
        rowsRead: usage.rowsRead,
        rowsWritten: usage.rowsWritten,
        ...(usage.databaseBytes === null ? {} : { databaseBytes: usage.databaseBytes }),
        ...(c.error === undefined ? {} : causeOf(c.error)),
      }),
    );
  };
  return annotate(handler, { failures: ["InternalError"] });
}

/** What the log may say of a failure: codes and lines of the stack. An error's message can hold a customer's values. */
function causeOf(error: Error): Record<string, unknown> {
  const failure = failureOf(error);
  if (failure === undefined) return { error: "INTERNAL_ERROR", ...kindOf(error) };
  const code = failure.body.errorCode ?? failure.message;
  const token = error instanceof NotLetIn && "fault" in error.refusal ? { token: error.refusal.fault } : {};
  return { error: code, ...token, ...(failure.cause === undefined ? {} : kindOf(failure.cause)) };
}

function kindOf(cause: unknown): Record<string, unknown> {
  if (!(cause instanceof Error)) return { cause: typeof cause };
  return { cause: cause.name, sqlite: /SQLITE_[A-Z_]+/.exec(cause.message)?.[0], stack: stackLines(cause) };
}

/** Where an error arose. Its stack begins with its message, in which a line may look like one of the stack and be a value. */
function stackLines({ message, stack = "" }: Error): string[] {
  const rest = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  return rest.split("\n").filter((line) => /^\s+at /.test(line));
}

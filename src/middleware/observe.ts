import type { Context } from "hono";
import { routePath } from "hono/route";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { noUsage, type Usage } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { failureOf } from "../http/errors.ts";
import { middleware } from "../openapi/notes.ts";
import { type MetricsValues, workerVersion, writeMetrics } from "./metrics.ts";

const SLOW_MS = 500;

/**
 * Names the request, times it, and writes its metrics and, if it is unusual, its log line: the route's pattern, never its path, query, token
 * or body, because those say who somebody is.
 */
export const observe = middleware({ failures: ["InternalError"] }, async (c, next) => {
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

  const metrics = metricsOf(c, usage, performance.now() - startedAt);
  writeMetrics(c.env, "request", metrics);
  log(c, usage, metrics);
});

function metricsOf(c: Context<AppEnv>, usage: Usage, milliseconds: number): MetricsValues<"request"> {
  return {
    method: c.req.method,
    route: routePath(c, -1),
    error: c.error === undefined ? "" : codeOf(c.error),
    source: c.var.source ?? (usage.primary === null ? "" : usage.primary ? "primary" : "replica"),
    region: usage.region ?? "",
    fault: databaseFaultOf(c.error) ?? "",
    status: c.res.status,
    milliseconds: Math.round(milliseconds),
    d1Milliseconds: Math.round(usage.milliseconds),
    roundTrips: usage.roundTrips,
    attempts: usage.attempts,
    primary: usage.primary === true ? 1 : 0,
    rowsRead: usage.rowsRead,
    rowsWritten: usage.rowsWritten,
    databaseBytes: usage.databaseBytes ?? 0,
    boardAgeSeconds: c.var.boardAgeSeconds ?? -1,
  };
}

/** An unusual request leaves a line: the metrics that say something, in their words, and what only a person can use. */
function log(c: Context<AppEnv>, usage: Usage, metrics: MetricsValues<"request">): void {
  if (!isUnusual(metrics)) return;
  const { error, source } = metrics;
  const { region, primary, databaseBytes } = usage;
  console.log(
    JSON.stringify({
      requestId: c.var.requestId,
      version: workerVersion(c.env),
      ...metrics,
      source: source || undefined,
      region: region ?? undefined,
      primary: primary ?? undefined,
      databaseBytes: databaseBytes ?? undefined,
      boardAgeSeconds: c.var.boardAgeSeconds,
      error: error || undefined,
      fault: metrics.fault || undefined,
      token: c.var.tokenFault,
      ...(c.error === undefined ? {} : causeOf(c.error)),
    }),
  );
}

/** A line is billed, and metrics count the rest: a quick success that wrote nothing, at the first try. */
function isUnusual({ status, milliseconds, attempts, rowsWritten }: MetricsValues<"request">): boolean {
  return status >= 400 || milliseconds >= SLOW_MS || attempts > 1 || rowsWritten > 0;
}

function codeOf(error: Error): string {
  const failure = failureOf(error);
  return failure === undefined ? "INTERNAL_ERROR" : (failure.body.errorCode ?? failure.message);
}

/** What else the log may say of a failure: codes and lines of the stack. An error's message can hold a customer's values. */
function causeOf(error: Error): Record<string, unknown> {
  const failure = failureOf(error);
  if (failure === undefined) return kindOf(error);
  return failure.cause === undefined ? {} : kindOf(failure.cause);
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

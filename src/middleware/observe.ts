import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { type AppEnv, isDevelopment } from "../app-env.ts";
import { noUsage, type Usage } from "../db/database.ts";
import { databaseFaultOf } from "../db/errors.ts";
import { failureOf } from "../http/errors.ts";
import { workerVersion, writeMetrics } from "./metrics.ts";

const SLOW_MS = 500;

/**
 * Gives the request an id, measures its time, and writes its metrics and, if it is unusual, a log line. The line has the
 * route's pattern but never the path, query, token or body, because they identify customers.
 */
export const observe: MiddlewareHandler<AppEnv> = async (c, next) => {
  const startedAt = performance.now();
  const requestId = crypto.randomUUID();
  c.set("requestId", requestId);

  await next();

  const usage = c.var.db?.usage ?? noUsage();
  const timing = [`d1;dur=${usage.milliseconds.toFixed(1)}`, `trips;desc="${usage.roundTrips}"`];
  const { rowsRead, rowsWritten, sqlMilliseconds } = usage;
  if (isDevelopment(c.env))
    timing.push(`rows;desc="${rowsRead}"`, `written;desc="${rowsWritten}"`, `sql;dur=${sqlMilliseconds}`);
  // `c.header()` would copy the finished response for each header.
  c.res.headers.set("X-Request-Id", requestId);
  c.res.headers.set("Server-Timing", timing.join(", "));

  const entry = describe(c, usage, performance.now() - startedAt);
  if (isDevelopment(c.env)) await tellDeveloper(c, entry);
  writeMetrics(c.env, "request", { ...entry, boardAgeSeconds: entry.boardAgeSeconds ?? -1 });
  if (!isUnusual(entry)) return;
  const log = { requestId, version: workerVersion(c.env), ...entry, token: c.var.tokenFault };
  console.log(JSON.stringify({ ...log, ...causeOf(c.error) }));
};

/** In development a refusal is a line of the terminal, and an answer to curl ends with a line feed. */
async function tellDeveloper(c: Context<AppEnv>, { method, route, status, error }: ReturnType<typeof describe>) {
  // `npm start` shows warnings, and no other lines of the log.
  if (status >= 400) console.warn([status, method, route, error, c.var.tokenFault].filter(Boolean).join(" "));
  const isText = c.res.headers.get("Content-Type")?.includes("json") === true;
  if (isText && c.req.header("User-Agent")?.startsWith("curl/")) c.res = new Response(`${await c.res.text()}\n`, c.res);
}

function describe(c: Context<AppEnv>, usage: Usage, milliseconds: number) {
  const database = usage.primary ? "primary" : "replica";
  return {
    method: c.req.method,
    route: routePath(c, -1),
    error: c.error && (failureOf(c.error)?.message ?? "INTERNAL_ERROR"),
    source: c.var.source ?? (usage.primary === null ? undefined : database),
    region: usage.region ?? undefined,
    fault: databaseFaultOf(c.error),
    status: c.res.status,
    milliseconds: Math.round(milliseconds),
    d1Milliseconds: Math.round(usage.milliseconds),
    roundTrips: usage.roundTrips,
    attempts: usage.attempts,
    primary: usage.primary ?? undefined,
    rowsRead: usage.rowsRead,
    rowsWritten: usage.rowsWritten,
    databaseBytes: usage.databaseBytes ?? undefined,
    boardAgeSeconds: c.var.boardAgeSeconds,
  };
}

/** Log lines are billed. Metrics are enough for a quick success at the first attempt that wrote nothing. */
function isUnusual({ status, milliseconds, attempts, rowsWritten }: ReturnType<typeof describe>): boolean {
  return status >= 400 || milliseconds >= SLOW_MS || attempts > 1 || rowsWritten > 0;
}

/** Only codes and stack lines of a failure may be logged. Error messages may contain customers' data. */
function causeOf(error: Error | undefined): Record<string, unknown> {
  const { cause } = failureOf(error) ?? { cause: error };
  if (cause === undefined) return {};
  if (!(cause instanceof Error)) return { cause: typeof cause };
  return { cause: cause.name, sqlite: /SQLITE_[A-Z_]+/.exec(cause.message)?.[0], stack: stackLines(cause) };
}

/** A stack begins with the error's message. It is left out, because a line of it may look like a stack line and be data. */
function stackLines({ message, stack = "" }: Error): string[] {
  const afterMessage = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  return afterMessage.split("\n").filter((line) => /^\s+at /.test(line));
}

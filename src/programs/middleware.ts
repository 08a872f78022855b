import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../app-env.ts";
import { DEFAULT_PROGRAM, findProgram } from "./programs.ts";

/** Takes a request as one of the default program: for what needs no token. */
export function defaultProgram(): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const program = findProgram(c.env, DEFAULT_PROGRAM);
    if (program === null) throw new Error("The binding DB is missing.");
    c.set("program", program);
    await next();
  };
}

import { CommandError } from "./project.ts";

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/;

/** Whether a service is on this machine. */
export function isLocal(url: string): boolean {
  return LOCAL.test(url);
}

/**
 * The token for a service: the one given, else that of the environment, else for a local service one that `make` signs.
 * @throws a CommandError that asks for `what`, such as "a feed token".
 */
export async function tokenFor(
  { url, token }: { url: string; token?: string | undefined },
  { what, make }: { what: string; make: () => Promise<string> },
): Promise<string> {
  const given = token ?? process.env.LOYALTY_EDGE_TOKEN;
  if (given !== undefined) return given;
  if (!isLocal(url)) throw new CommandError(`Name ${what} for this service: --token TOKEN, or LOYALTY_EDGE_TOKEN.`);
  return make();
}

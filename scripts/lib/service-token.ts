import { programClaim } from "../../src/auth/token.ts";
import { CommandError } from "./project.ts";

const LOCAL = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/?$/;

/** Whether a service is on this machine. */
export function isLocal(url: string): boolean {
  return LOCAL.test(url);
}

/**
 * The token for a service: the one given, else that of the environment, else for a local service one that `make` signs. It
 * decides about the program: one for another than `program` would feed or read that.
 * @throws a CommandError that asks for `what`, such as "a feed token".
 */
export async function tokenFor(
  { url, token, program }: { url: string; token?: string | undefined; program?: string | undefined },
  { what, make }: { what: string; make: () => Promise<string> },
): Promise<string> {
  const given = token ?? process.env.LOYALTY_EDGE_TOKEN;
  if (given === undefined) {
    if (!isLocal(url)) throw new CommandError(`Name ${what} for this service: --token TOKEN, or LOYALTY_EDGE_TOKEN.`);
    return make();
  }
  if (program !== undefined && programClaim(given) !== program)
    throw new CommandError(`The token is not for the program ${program}. Nothing was sent.`);
  return given;
}

import { programClaim, readToken, type TokenReading, type TokenRules } from "./token.ts";

/** What the tokens of a program are held against. */
export interface ProgramRules extends TokenRules {
  /** Whether the program has a secret or a key set of its own: the default program's are off for it then. */
  hasOwnKeys: boolean;
}

/**
 * Reads a token by the rules of the program that it names (docs/contract/programs.md, 1), at `now`, in seconds since
 * 1970. `rulesOf` takes the claim, undefined where there is none, and knows null for a program that there is not.
 */
export async function readProgramToken(
  token: string,
  { rulesOf, defaultRules }: { rulesOf: (claim: unknown) => ProgramRules | null; defaultRules: TokenRules },
  now: number,
): Promise<TokenReading | { kind: "no such program" }> {
  const rules = rulesOf(programClaim(token));
  if (rules !== null) {
    const reading = await readToken(token, rules, now);
    if (reading.kind !== "bad" || !rules.hasOwnKeys) return reading;
  }
  // Whoever can sign for the default program gets one answer for all other names: those that are configured with keys of
  // their own, and those that are not there.
  const reading = await readToken(token, defaultRules, now);
  if (reading.kind === "good") return { kind: "no such program" };
  return rules !== null && reading.kind === "bad" ? { kind: "bad", fault: "program" } : reading;
}

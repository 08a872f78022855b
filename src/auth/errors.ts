import type { TokenFault } from "./token.ts";

/** Why a request is not let in. */
export type Refusal =
  /** No token, or a bad one. `hint` says in development how to get one; `fault` is for the log. */
  | { reason: "no good token"; hint: string; fault: TokenFault }
  /** A good token that is not for this. */
  | { reason: "wrong token"; needed: string }
  /** There is no key to check a token with. */
  | { reason: "no keys" }
  | { reason: "too many requests"; retryAfterSeconds: number };

/** A request that is not let in. */
export class NotLetIn extends Error {
  override readonly name = "NotLetIn";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** Why a request is not let in. */
export type Refusal =
  /** No token, or a bad one, whatever the cause. `hint` says in development how to get one. */
  | { reason: "no good token"; hint: string }
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

/** Thrown if a rule does not hold. The message has the expected and the actual value. */
export class Broken extends Error {
  override readonly name = "Broken";
}

/** Thrown if a rule cannot be checked with the tokens and options that the suite has. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}

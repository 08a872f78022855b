/** An error for the user. The command prints its message without a stack, and ends with status 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

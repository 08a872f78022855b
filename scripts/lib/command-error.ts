/** What a command says in one line before it ends with status 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

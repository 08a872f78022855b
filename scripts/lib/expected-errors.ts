// The error of database work that was still under way when `reset()` was called between two test files.
const EXPECTED = "Application called deleteAllDurableObjects().";
const ERROR_BLOCK = /^uncaught exception; .*\n(?:(?: {4}at |stack: ).*\n)*/gm;

/** The text that the runtime prints, without the errors that tests expect. */
export function withoutExpectedErrors(text: string): string {
  return text.replaceAll(ERROR_BLOCK, (block) => (block.slice(0, block.indexOf("\n")).includes(EXPECTED) ? "" : block));
}

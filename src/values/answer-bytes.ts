/**
 * The most bytes of an answer to a customer, unless a single item is larger (docs/contract/interface.md, 1). All requests
 * of an isolate share 128 MB, and wait while an answer is built.
 */
export const ANSWER_BYTES = 2 * 1024 * 1024;

/** The most bytes of a poll's groups. A message to 100 members may cause 100 polls at once, and D1 runs them one by one. */
export const POLL_BYTES = 1024 * 1024;

/**
 * The most bytes of an answer to a customer, but for a single item that has more (docs/contract/interface.md, 1). All
 * requests of an isolate share 128 MB, and others wait while an answer is made.
 */
export const ANSWER_BYTES = 2 * 1024 * 1024;

/** The same for the groups of a poll: after a message to 100 members 100 polls may come at once, and D1 takes one by one. */
export const POLL_BYTES = 1024 * 1024;

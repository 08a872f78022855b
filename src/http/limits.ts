/**
 * The allowed requests per minute and data centre. The limiters in wrangler.toml repeat these numbers for each
 * environment, and a test compares them.
 */
export const REQUESTS_A_MINUTE = {
  customer: 600,
  till: 600,
  /** For requests without a valid token. */
  address: 120,
};

/** The period of the limiters. No refused client has to wait longer. */
export const LIMIT_PERIOD_SECONDS = 60;

/** The limits of one feed request (docs/contract/feed.md, 1). */
export const LINE_LIMIT = 2_000;
export const BODY_LIMIT = { bytes: 2 * 1024 * 1024, name: "2 MiB" };

/** The most ids in `store_ids` and `member_ids` of a feed request, together with the members of the groups it changes. */
export const ITEM_LIMIT = 20_000;

export const NDJSON = "application/x-ndjson";

/** The most bad lines that an answer names. */
export const NAMED_LINES = 100;

/**
 * The most bytes of an answer to a customer, unless a single item is larger (docs/contract/interface.md, 1). All requests
 * of an isolate share 128 MB, and wait while an answer is built.
 */
export const ANSWER_BYTES = 2 * 1024 * 1024;

/** The bytes of an answer around its items. */
export const ENVELOPE_BYTES = 200;

/** The most bytes of a poll's groups. A message to 100 members may cause 100 polls at once, and D1 runs them one by one. */
export const POLL_BYTES = 1024 * 1024;

/**
 * The allowed requests per minute and data centre. The limiters in wrangler.toml repeat these numbers for each
 * environment, and a test compares them.
 */
export const REQUESTS_A_MINUTE = {
  customer: 600,
  /** For requests without a valid token. */
  address: 120,
};

/** The period of the limiters, which is also the longest wait of a refused client. */
export const LIMIT_PERIOD_SECONDS = 60;

/** The limits of one feed request (docs/contract/feed.md, 1). */
export const LINE_LIMIT = 2_000;
export const BODY_LIMIT = { bytes: 2 * 1024 * 1024, name: "2 MiB" };

/** The limit on rows behind a request's lists: ids in `store_ids` and `member_ids`, and members of changed groups. */
export const ITEM_LIMIT = 20_000;

/** The media type of newline-delimited JSON. */
export const NDJSON = "application/x-ndjson";

/** The most bad lines that an answer names. */
export const NAMED_LINES = 100;

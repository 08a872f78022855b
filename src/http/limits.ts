/**
 * How many requests a minute and data centre are let in. The limiters count to them: wrangler.toml states them once more,
 * for each environment.
 */
export const REQUESTS_A_MINUTE = {
  customer: 600,
  /** Without a valid token. */
  address: 120,
};

/** The period of the limiters, and so the longest time until a refused client is let in again. */
export const LIMIT_PERIOD_SECONDS = 60;

/** How much one feed request may hold (docs/contract/feed.md, 1). */
export const LINE_LIMIT = 5_000;
export const BODY_LIMIT = { bytes: 8 * 1024 * 1024, name: "8 MiB" };

/** The media type of lines of one JSON object each. */
export const NDJSON = "application/x-ndjson";

/** The items of all lists of ids together (`store_ids`, `member_ids`), each of which is a row. */
export const ITEM_LIMIT = 100_000;

/** The lines that a refusal names. */
export const NAMED_LINES = 100;

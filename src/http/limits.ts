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
export const LINE_LIMIT = 2_000;
export const BODY_LIMIT = { bytes: 2 * 1024 * 1024, name: "2 MiB" };

/** The ids of all lists together (`store_ids`, `member_ids`) and the members of touched groups: each of them is a row. */
export const ITEM_LIMIT = 20_000;

/** The media type of lines of one JSON object each. */
export const NDJSON = "application/x-ndjson";

/** The lines that a refusal names. */
export const NAMED_LINES = 100;

/** How much one request may hold (docs/contract/feed.md, 1). */
export const LINE_LIMIT = 5_000;
export const BODY_LIMIT = { bytes: 8 * 1024 * 1024, name: "8 MiB" };

/** The media type of lines of one JSON object each. */
export const NDJSON = "application/x-ndjson";

/** The items of all lists of ids together (`store_ids`, `member_ids`), each of which is a row. */
export const ITEM_LIMIT = 100_000;

/** The lines that a refusal names. */
export const NAMED_LINES = 100;

import { sql } from "drizzle-orm";

/** The current time by D1's own clock, which tests replace; as text, for SQL that is put together of texts. */
export const NOW_TEXT = "(SELECT now FROM clock)";
export const NOW = sql.raw(NOW_TEXT);

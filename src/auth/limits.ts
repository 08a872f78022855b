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

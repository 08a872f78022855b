declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    TEST_REPLICA_1: D1Database;
    TEST_REPLICA_2: D1Database;
    TEST_HISTORY: R2Bucket;
  }
}

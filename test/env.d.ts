declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    TEST_DATABASE_1: D1Database;
    TEST_DATABASE_2: D1Database;
    TEST_HISTORY: R2Bucket;
  }
}

declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}

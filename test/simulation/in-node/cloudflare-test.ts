// What tests import from `cloudflare:test`, in Node.

export { reset } from "./workers.ts";

/** The database of a reset has its migrations. */
export async function applyD1Migrations(): Promise<void> {}

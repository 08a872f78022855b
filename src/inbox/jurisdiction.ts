import type { Inbox } from "./inbox.ts";

/** Where Cloudflare may be told to run and store inboxes, and databases. */
export const JURISDICTIONS = ["eu", "us", "fedramp"] as const;

/**
 * The inboxes in the operator's jurisdiction, or near each customer where that is empty. One name is another object in
 * each, so the inboxes of before are not found any more.
 */
export function inboxesIn(
  jurisdiction: string | undefined,
  namespace: DurableObjectNamespace<Inbox>,
): DurableObjectNamespace<Inbox> {
  if (jurisdiction === undefined || jurisdiction === "") return namespace;
  const known = JURISDICTIONS.find((one) => one === jurisdiction);
  if (known === undefined) throw new Error(`There is no jurisdiction ${jurisdiction}.`);
  return namespace.jurisdiction(known);
}

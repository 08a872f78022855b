/** Where Cloudflare may be told to run and store inboxes, and databases. */
export const JURISDICTIONS = ["eu", "us", "fedramp"] as const;

/**
 * Objects in the operator's jurisdiction, or near whoever first asks for each where that is empty. One name is another
 * object in each, so the inboxes of before are not found any more.
 */
export function inJurisdiction<T extends Rpc.DurableObjectBranded>(
  { JURISDICTION }: Pick<Env, "JURISDICTION">,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  if (!JURISDICTION) return namespace;
  const known = JURISDICTIONS.find((one) => one === JURISDICTION);
  if (known === undefined) throw new Error(`There is no jurisdiction ${JURISDICTION}.`);
  return namespace.jurisdiction(known);
}

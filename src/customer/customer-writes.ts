import { forbidden } from "../http/errors.ts";
import { itemsOfList } from "../values/parameter.ts";

/** What an app may change for its customer: how far a group is read, whether it is muted, and who is blocked. */
export const CUSTOMER_WRITES = ["read", "mute", "block"] as const;
export type CustomerWrite = (typeof CUSTOMER_WRITES)[number];

/** @throws the failure 403 if `CUSTOMER_WRITES` lacks one of these words (docs/contract/interface.md, 4.10). */
export function refuseUnlessWritable(
  { CUSTOMER_WRITES: words = "" }: Partial<Env>,
  writes: readonly CustomerWrite[],
): void {
  const refused = writes.filter((write) => !itemsOfList(words).includes(write));
  if (refused.length > 0) throw forbidden(`Apps of this program may not write this: ${refused.join(", ")}.`);
}

/** Whether each word of the variable is known. */
export function areCustomerWrites(words: string): boolean {
  return itemsOfList(words).every((word) => CUSTOMER_WRITES.some((known) => known === word));
}

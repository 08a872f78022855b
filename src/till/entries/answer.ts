import { NOT_STORED } from "../../db/kind.ts";
import { AHEAD, isTotalTooLarge, TOO_LARGE, TOO_OLD } from "../../feed/refusals.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { toDecimal } from "../../values/decimal.ts";
import { notCovered } from "../coverage.ts";
import { impossible, mustRepeat } from "../refusals.ts";
import type { EntryFacts } from "./queries.ts";
import type { Booking, EntryBody } from "./schema.ts";

/**
 * The answer for an entry that was just booked, or earlier.
 * @throws why it was refused, in this order: 403, 409, 404, 422 (docs/contract/till.md).
 */
export function toBooking(entry: EntryBody, facts: EntryFacts): Booking {
  const { id, customer_id, store_id, amount, campaign_id, description, created_at } = facts;
  if (!facts.is_covered) throw notCovered();
  if (id === null) throw refusalOf(entry, facts);
  mustRepeat(
    {
      customer_id: entry.customer_id,
      store_id: entry.store_id,
      amount: entry.amount,
      campaign_id: entry.campaign_id ?? null,
    },
    { customer_id, store_id, amount, campaign_id },
    facts.is_stored_covered === 1,
  );
  return {
    entry: { id, customer_id, store_id, amount: toDecimal(amount), campaign_id, description, created_at },
    balance: facts.balance / 100,
    repeated: !facts.is_new,
  };
}

/** Why nothing was stored. */
function refusalOf({ minimum_balance = 0 }: EntryBody, facts: EntryFacts): Error {
  if (!facts.has_store) return notFound("There is no store with this id.");
  if (!facts.has_customer) return notFound("There is no customer with this id.");
  const messages = {
    ...(!facts.has_campaign && { campaign_id: [NOT_STORED] }),
    ...(!facts.has_own_campaign && { campaign_id: ["names a campaign of another account than the store's"] }),
    ...(!facts.is_kept && { created_at: [TOO_OLD] }),
    ...(!facts.has_happened && { created_at: [AHEAD] }),
  };
  if (Object.keys(messages).length > 0) return invalid(messages);
  const detail = `the balance is ${toDecimal(facts.balance)}, and at least ${toDecimal(minimum_balance)} must be left`;
  return impossible("The booking", [{ check: "balance_suffices", holds: facts.balance_suffices === 1, detail }]);
}

/** Turns the database's refusal of a total into the failure of the request. */
export function rethrowTooLarge(error: unknown): never {
  throw isTotalTooLarge(error) ? invalid({ amount: [TOO_LARGE] }) : error;
}

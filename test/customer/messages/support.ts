import { as, mustFeed } from "../../support/api.ts";
import * as seed from "../../support/seed.ts";

export const PATH = "/api/v1/customer/messages";

/** That many customers, stored, named after letters: "A Able", "B Able", … */
export async function people(count: number) {
  const customers = Array.from({ length: count }, (_, place) =>
    seed.customer({ first_name: String.fromCharCode(65 + place), last_name: "Able" }),
  );
  await mustFeed(customers);
  return customers.map(({ id }) => id) as [string, string, string, string];
}

/** The ids of the groups that a customer is answered. */
export async function listed(customerId: string, query = "") {
  const answer = await as(customerId).get(PATH + query);
  return (answer.body.items ?? []).map((item: { group_id: string }) => item.group_id);
}

/** The first group that a customer is answered. */
export async function only(customerId: string) {
  const answer = await as(customerId).get(PATH);
  return answer.body.items[0];
}

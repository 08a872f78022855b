// A visit to a shop, as the backend of a till handles it. Beside `npm start`, after `npm run edge -- build`:
//   TOKEN=$(npm run --silent token -- till --name till-3 --stores s101-1-1) node examples/till/visit.mjs
// Stop the service meanwhile, and start it again within five minutes: the visit goes on.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createTill, LoyaltyError } from "loyalty-edge/till";

const [url = "http://127.0.0.1:8787", file = "till-notes.json"] = process.argv.slice(2);
const store_id = "s101-1-1";

/** The acts that are not answered yet, in a file: the next process takes them back. */
const open = new Map(existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []);
const save = () => writeFileSync(file, JSON.stringify([...open]));
const notes = {
  set: (key, act) => save(open.set(key, act)),
  delete: (key) => save(open.delete(key)),
};

const till = createTill({ url, token: process.env.TOKEN, repeatForMs: 300_000, notes });

/** The items of an answer. @throws a LoyaltyError for a refusal. */
function itemsOf(result) {
  if (result.status) return result.items;
  throw new LoyaltyError(`${result.message ?? JSON.stringify(result.messages)}`, { failure: result });
}

for (const act of open.values()) {
  console.log(`The last process did not hear of ${act.act} ${act.body.id}: taking it back.`);
  await till.takeBack(act);
}

const [customer] = itemsOf(await till.customerOf("4000000000"));
console.log(`Card of ${customer.first_name} ${customer.last_name}.`);

const usable = [];
for await (const coupon of till.coupons.all(customer.id, { store_id })) if (coupon.redeemable) usable.push(coupon);
const [coupon] = usable;
console.log(`${usable.length} coupons can be redeemed here. Redeeming "${coupon.name}", ${coupon.id} …`);

const { redemption, remaining_count } = itemsOf(await till.redeem({ customer_coupon_id: coupon.id, store_id }));
console.log(`Redeemed once. Left: ${remaining_count}.`);

const earned = itemsOf(await till.book({ customer_id: customer.id, store_id, amount: "4.50", description: "Coffee" }));
console.log(`Booked 4.50. Balance: ${earned.balance}.`);

// Nobody can spend what they do not have.
const spending = { customer_id: customer.id, store_id, amount: "-100000.00", minimum_balance: "0.00" };
const refused = await till.book(spending);
if (!refused.status) console.log(`Not spent: ${refused.errorCode}, ${refused.checks?.[0]?.detail}.`);

// The customer changes their mind.
const reversal = itemsOf(await till.reverse({ redemption_id: redemption.id, store_id }));
console.log(`Reversed. Left: ${reversal.remaining_count}.`);

const past = { customer_id: customer.id, customer_coupon_id: "cc0-0-past" };
const { shown, checks } = itemsOf(await till.explain(past));
console.log(`"Last summer's treat" is ${shown ? "" : "not "}shown. Why:`);
for (const { check, holds, detail } of checks) if (!holds) console.log(`- ${check}: ${detail}`);

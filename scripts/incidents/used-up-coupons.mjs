// Reads issued coupons, as an export gives them, and prints lines that delete those which are used up.
import { createInterface } from "node:readline";

for await (const text of createInterface({ input: process.stdin })) {
  const { record, id, usage_count, total_count } = JSON.parse(text || "{}");
  if (record === "customer_coupon" && usage_count >= total_count)
    console.log(JSON.stringify({ record, id, deleted: true }));
}

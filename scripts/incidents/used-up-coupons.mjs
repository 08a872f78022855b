// Reads issued coupons, as an export gives them, and prints a line that deletes each used-up coupon.
import { createInterface } from "node:readline";

for await (const text of createInterface({ input: process.stdin })) {
  const { record, id, usage_count, total_count } = JSON.parse(text || "{}");
  if (record === "customer_coupon" && usage_count >= total_count)
    console.log(JSON.stringify({ record, id, deleted: true }));
}

// Reads messages, as an export gives them, and prints lines that empty the bodies of all that one customer wrote.
import { createInterface } from "node:readline";

const [customerId] = process.argv.slice(2);
for await (const text of createInterface({ input: process.stdin })) {
  const { record, id, customer_id } = JSON.parse(text || "{}");
  if (record === "message" && customer_id === customerId) console.log(JSON.stringify({ record, id, deleted: true }));
}

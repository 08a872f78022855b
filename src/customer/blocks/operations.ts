import { success } from "../../http/answer-schema.ts";
import type { Operation } from "../../openapi/notes.ts";
import { Block, BlockPath } from "./schema.ts";

const COMMON = {
  parameters: { in: "path", schema: BlockPath },
  answer: success(Block),
  failures: ["NotFound", "InvalidFields"],
} as const satisfies Partial<Operation>;

export const blockCustomer: Operation = {
  ...COMMON,
  id: "blockCustomer",
  summary: "Block a customer",
  description:
    "Hides the other's messages and name from the customer, and the customer from the other's searches. The other is not " +
    "told. It is safe to repeat.",
  examples: [{ summary: "Block c6", path: { customer_id: "c6" } }],
};

export const unblockCustomer: Operation = {
  ...COMMON,
  id: "unblockCustomer",
  summary: "End a block",
  description: "Shows the other's messages and name again. It is safe to repeat.",
  examples: [{ summary: "Unblock c6", path: { customer_id: "c6" } }],
};

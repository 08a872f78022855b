import type { Context } from "hono";
import { type AppEnv, createRouter } from "../../app-env.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { act, notDuringRestore } from "../../middleware/acts.ts";
import { databaseAtPrimary } from "../../middleware/database.ts";
import { MUST_BE_ANOTHER } from "../../records/customer.ts";
import { refuseUnlessWritable } from "../customer-writes.ts";
import { removeBlock, writeBlock } from "./queries.ts";
import type { Block } from "./schema.ts";

const PATH = "/:customer_id";

export const blocks = createRouter()
  .put(PATH, notDuringRestore, databaseAtPrimary, (c) => answerBlock(c, c.req.param("customer_id"), true))
  .delete(PATH, notDuringRestore, databaseAtPrimary, (c) => answerBlock(c, c.req.param("customer_id"), false));

/** Blocks a customer, or ends the block. */
async function answerBlock(c: Context<AppEnv>, customer_id: string, is_blocked: boolean) {
  refuseUnlessWritable(c.env, ["block"]);
  if (customer_id === c.var.customerId) throw invalid({ customer_id: [MUST_BE_ANOTHER] });

  const { found } = await act(c, (actor) => (is_blocked ? writeBlock : removeBlock)(customer_id, actor));
  if (!found[0]?.hasCaller) throw notFound("The customer of this token is not stored.");
  if (!found[0].hasOther) throw notFound("There is no customer with this id.");

  return answerItems<Block>(c, toJson({ customer_id, is_blocked }));
}

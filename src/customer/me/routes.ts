import { createRouter } from "../../app-env.ts";
import { notFound } from "../../http/errors.ts";
import { answerItems } from "../../http/json-text.ts";
import { conditional } from "../../middleware/conditional.ts";
import { findMe } from "./queries.ts";
import type { Me } from "./schema.ts";

export const me = createRouter().get("/", conditional(), async (c) => {
  const found = await findMe(c.var.db, { customerId: c.var.customerId });
  if (found === null) throw notFound("The customer of this token is not stored.");

  return answerItems<Me>(c, found);
});

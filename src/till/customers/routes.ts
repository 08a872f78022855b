import { createRouter } from "../../app-env.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { validateBody } from "../../middleware/validate.ts";
import { accountsIn } from "../coverage.ts";
import { findByCard } from "./queries.ts";
import { type CardHolder, FindBody } from "./schema.ts";

export const customers = createRouter().post("/find", validateBody(FindBody), async (c) => {
  const { scan_id: scanId } = c.req.valid("json");

  const items = await findByCard(c.var.db, { scanId, accounts: accountsIn(c.var.till) });
  if (items === null) throw invalid({ scan_id: ["is not the card of one customer"] });
  if (items.length === 0) throw notFound("No customer has this card.");

  return answerItems<CardHolder[]>(c, toJson(items));
});

import { createRouter } from "../../app-env.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { validateQuery } from "../../middleware/validate.ts";
import { findByCard } from "./queries.ts";
import { type CardHolder, LookupQuery } from "./schema.ts";

export const lookup = createRouter().get("/", validateQuery(LookupQuery), async (c) => {
  const { scan_id: scanId } = c.req.valid("query");

  const items = await findByCard(c.var.db, { scanId });
  if (items === null) throw invalid({ scan_id: ["is not the card of one customer"] });
  if (items.length === 0) throw notFound("No customer has this card.");

  return answerItems<CardHolder[]>(c, toJson(items));
});

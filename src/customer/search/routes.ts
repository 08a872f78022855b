import { createRouter } from "../../app-env.ts";
import { answerJson, type JsonText, jsonArray, jsonObject, toJson } from "../../http/json-text.ts";
import { validateBody } from "../../middleware/validate.ts";
import { askedWords } from "./asked-words.ts";
import { searchAll } from "./queries.ts";
import type { Found } from "./records.ts";
import { customerSearchOf, type FullSearchAnswer, FullSearchBody, type SearchList } from "./schema.ts";

export const search = createRouter().post("/", validateBody(FullSearchBody), async (c) => {
  const { query, filter, typos } = c.req.valid("json");
  const found = await searchAll(c.var.db, {
    words: askedWords(query),
    typos,
    lists: filter,
    customerId: c.var.customerId,
    customerSearch: customerSearchOf(c.env),
  });

  return answerJson<FullSearchAnswer>(c, inVariant(found, filter));
});

/** Variant A of the answer, or variant B for a filter without campaigns (docs/contract/interface.md, 4.6). */
function inVariant(found: Found, lists: readonly SearchList[]): JsonText {
  const both = { stores: jsonArray(found.stores), customers: jsonArray(found.customers) };
  const status = toJson(true);
  const notes = {
    ...(found.isIncomplete && { incomplete: toJson(true) }),
    ...(found.forgiven.length > 0 && { forgiven: toJson(found.forgiven), meant: toJson(found.meant) }),
  };
  if (!lists.includes("campaigns")) return jsonObject({ status, ...both, ...notes });
  const items = jsonObject({ ...both, campaigns: jsonArray(found.campaigns) });
  return jsonObject({ status, items, ...notes });
}

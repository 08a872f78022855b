import type * as z from "zod";
import { createRouter } from "../../app-env.ts";
import { answerJson, type JsonText, jsonArray, jsonObject, toJson } from "../../http/json-text.ts";
import { jsonBody, validate } from "../../middleware/validate.ts";
import { describe } from "../../openapi/describe.ts";
import { wordsOf } from "../../values/words.ts";
import { fullSearch } from "./operations.ts";
import { type Found, searchAll } from "./queries.ts";
import { type FullSearchAnswer, FullSearchBody, type SearchKind } from "./schema.ts";
import { customerSearchOf } from "./whom.ts";

export const search = createRouter().post(
  "/",
  describe(fullSearch),
  jsonBody(),
  validate("json", FullSearchBody),
  async (c) => {
    const { query, filter, typos } = c.req.valid("json");
    const found = await searchAll(c.var.db, {
      words: wordsOf(query),
      typos,
      kinds: filter,
      customerId: c.var.customerId,
      whom: customerSearchOf(c.env),
    });

    return answerJson<z.output<typeof FullSearchAnswer>>(c, inVariant(found, filter));
  },
);

/** Variant A of the answer, or variant B if campaigns were not asked for (docs/contract/interface.md, 4.6). */
function inVariant(found: Found, kinds: readonly SearchKind[]): JsonText {
  const lists = { stores: jsonArray(found.stores), customers: jsonArray(found.customers) };
  const status = toJson(true);
  const forgiven = found.forgiven.length === 0 ? undefined : { forgiven: toJson(found.forgiven) };
  if (!kinds.includes("campaigns")) return jsonObject({ status, ...lists, ...forgiven });
  const items = jsonObject({ ...lists, campaigns: jsonArray(found.campaigns) });
  return jsonObject({ status, items, ...forgiven });
}

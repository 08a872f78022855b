import { createRouter } from "../../app-env.ts";
import { invalid } from "../../http/errors.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { act, notDuringRestore } from "../../middleware/acts.ts";
import { databaseAtPrimary } from "../../middleware/database.ts";
import { validateBody } from "../../middleware/validate.ts";
import { fieldMessages } from "../../values/messages.ts";
import { accountsIn, mustStandAt, notCovered, storesIn } from "../coverage.ts";
import { onlyRow } from "../queries.ts";
import { toHold } from "./answer.ts";
import { free, hold } from "./queries.ts";
import { type Freed, type Hold, HoldBody, HoldPath } from "./schema.ts";

/** @throws the failure 422 if it is no id. */
function holdIn(id: string): string {
  const { data, error } = HoldPath.safeParse({ id });
  if (error !== undefined) throw invalid(fieldMessages(error));
  return data.id;
}

export const holds = createRouter()
  .post("/", notDuringRestore, databaseAtPrimary, validateBody(HoldBody), async (c) => {
    const asked = c.req.valid("json");
    const { till } = c.var;
    mustStandAt(till, asked.store_id);

    const { answer } = await act(c, (actor) => hold({ ...asked, accounts: accountsIn(till) }, actor));

    return answerItems<Hold>(c, toJson(toHold(asked, onlyRow(answer))));
  })
  .delete("/:id", notDuringRestore, databaseAtPrimary, async (c) => {
    const id = holdIn(c.req.param("id"));
    const { till } = c.var;

    const asked = { id, accounts: accountsIn(till), stores: storesIn(till) };
    const { answer } = await act(c, (actor) => free(asked, actor));

    const [found] = answer;
    if (!found?.is_covered) throw notCovered();
    return answerItems<Freed>(c, toJson({ freed: found.freed === 1, redeemed: found.redeemed === 1 }));
  });

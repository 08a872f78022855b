import { createRouter } from "../../app-env.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { act, notDuringRestore } from "../../middleware/acts.ts";
import { databaseAtPrimary } from "../../middleware/database.ts";
import { validateBody } from "../../middleware/validate.ts";
import { accountsIn, mustStandAt } from "../coverage.ts";
import { onlyRow } from "../queries.ts";
import type { Redeemed } from "../redemptions/schema.ts";
import { toReversed } from "./answer.ts";
import { reverse } from "./queries.ts";
import { ReversalBody } from "./schema.ts";

export const reversals = createRouter().post(
  "/",
  notDuringRestore,
  databaseAtPrimary,
  validateBody(ReversalBody),
  async (c) => {
    const asked = c.req.valid("json");
    const { till } = c.var;
    mustStandAt(till, asked.store_id);

    const { answer } = await act(c, (actor) => reverse({ ...asked, accounts: accountsIn(till) }, actor));

    return answerItems<Redeemed>(c, toJson(toReversed(asked, onlyRow(answer))));
  },
);

import { createRouter } from "../../app-env.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { act, notDuringRestore } from "../../middleware/acts.ts";
import { databaseAtPrimary } from "../../middleware/database.ts";
import { validateBody } from "../../middleware/validate.ts";
import { accountsIn, mustStandAt } from "../coverage.ts";
import { onlyRow } from "../queries.ts";
import { toRedeemed } from "./answer.ts";
import { redeem } from "./queries.ts";
import { type Redeemed, RedemptionBody } from "./schema.ts";

export const redemptions = createRouter().post(
  "/",
  notDuringRestore,
  databaseAtPrimary,
  validateBody(RedemptionBody),
  async (c) => {
    const asked = c.req.valid("json");
    const { till } = c.var;
    mustStandAt(till, asked.store_id);

    const { answer } = await act(c, (actor) => redeem({ ...asked, accounts: accountsIn(till) }, actor));

    return answerItems<Redeemed>(c, toJson(toRedeemed(asked, onlyRow(answer))));
  },
);

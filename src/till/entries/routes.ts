import { createRouter } from "../../app-env.ts";
import { answerItems, toJson } from "../../http/json-text.ts";
import { act, notDuringRestore } from "../../middleware/acts.ts";
import { databaseAtPrimary } from "../../middleware/database.ts";
import { validateBody } from "../../middleware/validate.ts";
import { accountsIn, mustStandAt } from "../coverage.ts";
import { onlyRow } from "../queries.ts";
import { rethrowTooLarge, toBooking } from "./answer.ts";
import { bookEntry } from "./queries.ts";
import { type Booking, EntryBody } from "./schema.ts";

export const bookings = createRouter().post(
  "/",
  notDuringRestore,
  databaseAtPrimary,
  validateBody(EntryBody),
  async (c) => {
    const entry = c.req.valid("json");
    const { till } = c.var;
    mustStandAt(till, entry.store_id);

    const booked = act(c, (actor) => bookEntry({ ...entry, accounts: accountsIn(till) }, actor));
    const { answer } = await booked.catch(rethrowTooLarge);

    return answerItems<Booking>(c, toJson(toBooking(entry, onlyRow(answer))));
  },
);

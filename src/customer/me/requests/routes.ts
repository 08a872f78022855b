import { createRouter } from "../../../app-env.ts";
import { notFound } from "../../../http/errors.ts";
import { act, notDuringRestore } from "../../../middleware/acts.ts";
import { databaseAtPrimary } from "../../../middleware/database.ts";
import { validateBody } from "../../../middleware/validate.ts";
import { writeRequest } from "./queries.ts";
import { RequestBody } from "./schema.ts";

export const customerRequests = createRouter().post(
  "/",
  notDuringRestore,
  databaseAtPrimary,
  validateBody(RequestBody),
  async (c) => {
    const { type } = c.req.valid("json");

    const { request } = await act(c, (actor) => writeRequest(type, actor));
    if (request[0] === undefined) throw notFound("The customer of this token is not stored.");

    return c.json({ status: true as const, items: request[0] }, 202);
  },
);

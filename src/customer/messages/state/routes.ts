import { createRouter } from "../../../app-env.ts";
import { notFound } from "../../../http/errors.ts";
import { answerItems } from "../../../http/json-text.ts";
import { act, notDuringRestore } from "../../../middleware/acts.ts";
import { databaseAtPrimary } from "../../../middleware/database.ts";
import { validateBody } from "../../../middleware/validate.ts";
import { refuseUnlessWritable } from "../../customer-writes.ts";
import { toGroup } from "../queries.ts";
import type { MessageGroup } from "../schema.ts";
import { writeMessageState } from "./queries.ts";
import { MessageStateBody } from "./schema.ts";

export const messageStates = createRouter().put(
  "/:group_id/state",
  notDuringRestore,
  databaseAtPrimary,
  validateBody(MessageStateBody),
  async (c) => {
    const state = c.req.valid("json");
    refuseUnlessWritable(c.env, [
      ...(state.read_up_to === undefined ? [] : (["read"] as const)),
      ...(state.notifications_disabled === undefined ? [] : (["mute"] as const)),
    ]);

    const { group } = await act(c, (actor) => writeMessageState(c.req.param("group_id"), state, actor));
    if (group[0] === undefined) throw notFound("You see no group with this id.");

    return answerItems<MessageGroup>(c, toGroup(group[0]));
  },
);

import * as z from "zod";
import { named } from "../../http/answer-schema.ts";
import { TOPICS } from "../../inbox/protocol.ts";

const bookmark = z.string().describe("Send it as `X-D1-Bookmark`: the answer shows what the frame is about.");

/** The frames of a socket are JSON texts (docs/contract/live.md, 2). */
export const Frame = z
  .discriminatedUnion("type", [
    named("HelloFrame", { type: z.literal("hello").describe("It is open: call the endpoints once."), bookmark }),
    named("ChangedFrame", {
      type: z.literal("changed").describe("Something has changed."),
      what: z.array(z.enum(TOPICS)).min(1).describe("Which of the endpoints answer something new."),
      bookmark,
    }),
    named("ClosingFrame", {
      type: z.literal("closing").describe("The service closes the socket. The close may come ten seconds later."),
      code: z.int().describe("The close code."),
    }),
  ])
  .meta({
    id: "LiveFrame",
    discriminator: {
      propertyName: "type",
      mapping: {
        hello: "#/components/schemas/HelloFrame",
        changed: "#/components/schemas/ChangedFrame",
        closing: "#/components/schemas/ClosingFrame",
      },
    },
  });

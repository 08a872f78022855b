import * as z from "zod";
import { CHANGE_KINDS } from "../../inbox/protocol.ts";

/** What the service sends over a socket, as JSON text (docs/contract/live.md, 2). */
export const Frame = z
  .discriminatedUnion("type", [
    z
      .object({ type: z.literal("hello").describe("The socket is open: call the endpoints once.") })
      .meta({ id: "HelloFrame" }),
    z
      .object({
        type: z.literal("changed").describe("Something has changed."),
        what: z.array(z.enum(CHANGE_KINDS)).min(1).describe("Which of the endpoints answer something new."),
      })
      .meta({ id: "ChangedFrame" }),
  ])
  .meta({
    id: "LiveFrame",
    discriminator: {
      propertyName: "type",
      mapping: { hello: "#/components/schemas/HelloFrame", changed: "#/components/schemas/ChangedFrame" },
    },
  });
export type Frame = z.output<typeof Frame>;

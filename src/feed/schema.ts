import * as z from "zod";

/** What a feed request has come to. */
export const Accepted = z.object({
  accepted: z.int().meta({ description: "Lines that were taken." }),
  ignored: z.int().meta({ description: "Lines that there was nothing to do for, such as an event that is stored." }),
});
export type Accepted = z.output<typeof Accepted>;

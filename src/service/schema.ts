import * as z from "zod";

/** What of the service answers, and which of its versions. */
export const Health = z
  .object({
    version: z.string().meta({ description: "The version of loyalty-edge." }),
    database: z.literal("up").meta({ description: "D1 answers: its primary, and a replica." }),
    cache: z.literal("up").meta({ description: "KV answers." }),
  })
  .meta({ id: "Health" });
export type Health = z.output<typeof Health>;

import * as z from "zod";

/** What of the service answers, and which of its versions. */
export const Health = z
  .object({
    version: z.string().meta({ description: "The version of loyalty-edge." }),
    database: z.literal("up").meta({ description: "D1 answers: its primary, and a replica." }),
    cache: z.literal("up").meta({ description: "KV answers." }),
    programs: z
      .object({
        well: z.int().describe("How many programs' databases answer."),
        of: z.int().describe("How many programs there are, with the default one."),
        asked: z.int().optional().describe("How many of them could be asked in 5 seconds, where that is not all."),
      })
      .optional()
      .describe("Where there is more than the default program."),
  })
  .meta({ id: "Health" });
export type Health = z.output<typeof Health>;

import * as z from "zod";

/** An employee on a leaderboard (docs/contract/interface.md, 4.7). */
export const LeaderboardItem = z
  .object({
    employee_id: z.string().describe("The employee's id."),
    employee_name: z.string().describe("The employee's name."),
    avatar: z.string().describe("The address of a picture, or empty."),
    rank: z.int().describe("The rank, by standard competition ranking: 1, 2, 2, 4."),
    total_runs: z.string().describe("Runs, a decimal as text without digits that it does not need."),
    total_hits: z.int().describe("Hits."),
    total_doubles: z.int().describe("Doubles."),
    total_triples: z.int().describe("Triples."),
  })
  .meta({ id: "LeaderboardItem" });
export type LeaderboardItem = z.output<typeof LeaderboardItem>;

export const LeaderboardAnswer = z.object({ status: z.literal(true), items: z.array(LeaderboardItem) });

import { boardKey as boardName } from "../../src/customer/gamification/boards.ts";
import type { BoardOf } from "../../src/customer/gamification/queries.ts";
import { DEFAULT_PROGRAM, qualify } from "../../src/programs/programs.ts";

/** The key under which KV has a board of a program. */
export async function boardKey(board: BoardOf, day: string, program = DEFAULT_PROGRAM): Promise<string> {
  return qualify(program, await boardName(board, day));
}

import * as z from "zod";
import { askDatabase, type DatabaseLocation } from "./database.ts";
import { parse, patientFetch, refusalOf } from "./patient-client.ts";
import { CommandError } from "./project.ts";

const ANSWER_WITHIN_MS = 30_000;
const Health = z.object({ items: z.object({ program: z.string(), database_id: z.string() }) });

/**
 * Makes sure that a service and a database belong together, before a command changes anything in either.
 * @throws a CommandError if the service has another database: `--env` may be missing, or `--url` may be of another program.
 */
export async function expectSameProgram(url: string, database: DatabaseLocation): Promise<void> {
  const answer = await patientFetch(ANSWER_WITHIN_MS)(new URL("/health", url), {});
  if (answer.status !== 200) throw new CommandError(refusalOf(answer));
  const { data } = Health.safeParse(parse(answer.bytes.toString()));
  if (data === undefined) throw new CommandError(`This is no loyalty-edge: ${url}/health answers with something else.`);
  const [[row] = []] = await askDatabase<{ database_id: string }>(["SELECT database_id FROM program_state"], database);
  if (row?.database_id === data.items.database_id) return;
  throw new CommandError(
    `${url} is the program ${data.items.program}, and has another database than --env ${database.env}. Nothing was changed: ` +
      "name the address and the environment of one program.",
  );
}

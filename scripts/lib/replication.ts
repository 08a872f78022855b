import * as z from "zod";
import { ask, openCloudflare } from "./cloudflare-api.ts";

const Database = z.object({ uuid: z.string() });

/**
 * Has D1 answer reads from the replica nearest to the client. Wrangler has no command for it
 * (https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update).
 * @throws a CommandError that says why Cloudflare does not.
 */
export async function replicateReads(databaseName: string, account: string | undefined): Promise<void> {
  const { headers, accountId } = await openCloudflare(account);
  const path = `/accounts/${accountId}/d1/database`;
  const { uuid } = Database.parse(await ask(`${path}/${encodeURIComponent(databaseName)}`, headers));
  await ask(`${path}/${uuid}`, headers, { method: "PUT", body: '{"read_replication":{"mode":"auto"}}' });
}

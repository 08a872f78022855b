import * as z from "zod";
import { ask, type Cloudflare, openCloudflare } from "./cloudflare-api.ts";

const Database = z.object({ uuid: z.string() });

/**
 * Has D1 answer reads from the replica nearest to the client, of databases by their names. Wrangler has no command for it
 * (https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/update).
 * @throws a CommandError that says why Cloudflare does not.
 */
export async function replicateReads(databaseNames: readonly string[], accountId: string | undefined): Promise<void> {
  const cloudflare = await openCloudflare(accountId);
  for (const name of databaseNames) await replicate(name, cloudflare);
}

async function replicate(name: string, { headers, accountId }: Cloudflare): Promise<void> {
  const path = `/accounts/${accountId}/d1/database`;
  const { uuid } = Database.parse(await ask(`${path}/${encodeURIComponent(name)}`, headers));
  await ask(`${path}/${uuid}`, headers, { method: "PUT", body: '{"read_replication":{"mode":"auto"}}' });
}

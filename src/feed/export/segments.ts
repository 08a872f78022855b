import { unavailable } from "../../http/errors.ts";
import { withTimeout } from "../../values/timeout.ts";
import type { Row } from "./fields.ts";

/** How long R2 may take for a call. */
export const R2_MS = 10_000;

/**
 * The lines about a customer in the objects of segments, as they are there (docs/contract/history.md, 2).
 * @throws the failure 503 where an object cannot be read.
 */
export async function readSegments(
  bucket: R2Bucket | undefined,
  segments: readonly Row[],
  customer: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const lines = await Promise.all(segments.map(({ name }) => linesOf(bucket, String(name))));
  const about = lines.flat().filter((line) => JSON.parse(line).customer_id === customer);
  return new Uint8Array(new TextEncoder().encode(about.map((line) => `${line}\n`).join("")));
}

async function linesOf(bucket: R2Bucket | undefined, name: string): Promise<string[]> {
  const object = bucket && (await withTimeout(R2_MS, bucket.get(name)));
  if (!object) throw unavailable(`History lacks its object ${name}. Put it back with npm run history -- restore.`);
  const text = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
  return text.split("\n").filter((line) => line !== "");
}

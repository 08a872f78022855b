import { unavailable } from "../../http/errors.ts";
import { encodeUtf8 } from "../../values/json.ts";
import { withTimeout } from "../../values/timeout.ts";
import type { Row } from "./fields.ts";

/** A call of R2 may take this long. */
export const R2_LIMIT_MS = 10_000;

/** The lines about a customer in the objects of segments, unchanged (docs/contract/history.md, 2). */
export async function readSegments(
  bucket: R2Bucket | undefined,
  segments: readonly Row[],
  customer: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const lines = await Promise.all(segments.map(({ name }) => linesOf(bucket, String(name))));
  const customerLines = lines.flat().filter((line) => JSON.parse(line).customer_id === customer);
  return encodeUtf8(customerLines.map((line) => `${line}\n`).join(""));
}

async function linesOf(bucket: R2Bucket | undefined, name: string): Promise<string[]> {
  const object = bucket && (await withTimeout(R2_LIMIT_MS, bucket.get(name)));
  if (!object) throw unavailable(`History lacks its object ${name}. Put it back with npm run history -- restore.`);
  const text = await new Response(object.body.pipeThrough(new DecompressionStream("gzip"))).text();
  return text.split("\n").filter((line) => line !== "");
}

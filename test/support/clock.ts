import { env } from "cloudflare:workers";

/** Stops D1's clock at a second, `YYYY-MM-DD HH:MM:SS` in UTC, for the rest of the file or until it is set again. */
export async function setClock(now: string, millisecond = 0): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("DROP VIEW clock"),
    env.DB.prepare(
      `CREATE VIEW clock AS SELECT '${now}' AS now, date('${now}') AS today, ${millisecond} AS millisecond`,
    ),
  ]);
}

import { background, createRouter } from "../app-env.ts";
import { readBody } from "../http/body.ts";
import { BODY_LIMIT, NDJSON } from "../http/limits.ts";
import { nextLink } from "../http/paging.ts";
import { Inboxes } from "../inbox/inboxes.ts";
import { notifyOfFeed } from "../inbox/notify.ts";
import { writeMetrics } from "../middleware/metrics.ts";
import { validate } from "../middleware/validate.ts";
import { acceptFeed } from "./accept.ts";
import { Admission } from "./admission.ts";
import { readPage } from "./export/page.ts";
import { currentHorizon } from "./horizon.ts";
import { ExportQuery } from "./schema.ts";

// D1's largest database, which no plan makes larger.
const LARGEST_BYTES = 10_000_000_000;
const WARNED_AT_PERCENT = [70, 85, 95];

// Of this isolate: `warnedAt` is what it has warned of, in percent.
const admission = new Admission();
let warnedAt = 0;

export const feed = createRouter()
  .get("/", validate("query", ExportQuery), async (c) => {
    const { record, after } = c.req.valid("query");

    // A page takes as much memory as a feed request.
    const work = admission.letIn(
      async () => {},
      () => readPage(c.var.db, { records: record, after }),
    );
    c.executionCtx.waitUntil(work.catch(() => {}));
    const page = await work;

    if (page.next !== undefined) c.header("Link", nextLink(c.req.url, page.next));
    c.header("X-Feed-Version", String(page.version));
    c.header("Content-Type", NDJSON);
    return c.body(page.bytes);
  })
  .post("/", async (c) => {
    const startedAt = performance.now();
    const work = admission
      .letIn(
        (onBytes) => readBody(c.req.raw, BODY_LIMIT, onBytes),
        (body) => acceptFeed(c.var.db, { body, token: c.var.feedToken, horizon: currentHorizon(c.env) }),
      )
      .then(async (accepted) => {
        await notifyOfFeed(new Inboxes(c.env), accepted.changes, {
          db: c.var.db,
          inBackground: (work) => background.run(c, work),
        });
        return accepted;
      });
    // So that it leaves even when its client is gone.
    c.executionCtx.waitUntil(work.catch(() => {}));
    const { answer, version, changes } = await work;
    const { databaseBytes, rowsWritten } = c.var.db.usage;
    warnOfSize(databaseBytes);
    writeMetrics(c.env, "feed", {
      ...answer,
      changes: changes.changes.length,
      milliseconds: Math.round(performance.now() - startedAt),
      rowsWritten,
    });

    c.header("X-Feed-Version", String(version));
    return c.json({ status: true as const, items: answer });
  });

/** Writes a line into the log once a database has grown beyond 70, 85 and 95 % of what it can hold. */
function warnOfSize(databaseBytes: number | null): void {
  const isBeyond = (percent: number) => Number(databaseBytes) >= (percent / 100) * LARGEST_BYTES;
  const percent = WARNED_AT_PERCENT.findLast(isBeyond) ?? 0;
  if (percent <= warnedAt) return;
  warnedAt = percent;
  console.warn(JSON.stringify({ warning: "DATABASE_SIZE", percent, databaseBytes }));
}

import type { Context } from "hono";
import { type AppEnv, background, createRouter, finish } from "../app-env.ts";
import { Admission } from "../http/admission.ts";
import { readBody } from "../http/body.ts";
import { BODY_LIMIT, NDJSON } from "../http/limits.ts";
import { linkTo, nextLink } from "../http/paging.ts";
import { Inboxes } from "../inbox/inboxes.ts";
import { notifyOfFeed } from "../inbox/notify.ts";
import { writeMetrics } from "../middleware/metrics.ts";
import { validateQuery } from "../middleware/validate.ts";
import { readPage } from "./export/queries.ts";
import { acceptFeed } from "./queries.ts";
import { ExportQuery } from "./schema.ts";

/** Feeds, and pages of exports. */
const admission = new Admission({ bytes: 32 * 1024 * 1024, working: 4 });

export const feed = createRouter()
  .get("/", validateQuery(ExportQuery), async (c) => {
    const { record, customer_id: customer, request, after } = c.req.valid("query");

    // A page takes as much memory as a feed request. It holds no body, so only the four at once limit it.
    const work = admission.letIn(
      "",
      async () => {},
      () => readPage(c.var.db, { records: record, filter: { customer, request }, after }),
    );
    const page = await finish(c, work);

    const changesUrl = new URL("/api/v1/feed/changes", c.req.url).href;
    const links = [
      ...(page.next === undefined ? [] : [nextLink(c.req.url, page.next)]),
      ...(after === undefined ? [linkTo(changesUrl, { after: JSON.stringify(page.changes) }, "changes")] : []),
    ];
    if (links.length > 0) c.header("Link", links.join(", "));
    c.header("X-Feed-Version", String(page.version));
    c.header("Content-Type", NDJSON);
    return c.body(page.bytes);
  })
  .post("/", async (c) => {
    const startedAt = performance.now();
    const { answer, version, forListeners } = await finish(c, acceptAndNotify(c));
    const { databaseBytes, rowsWritten } = c.var.db.usage;
    warnOfSize(databaseBytes);
    writeMetrics(c.env, "feed", {
      ...answer,
      changes: forListeners.changes.length,
      milliseconds: Math.round(performance.now() - startedAt),
      rowsWritten,
    });

    c.header("X-Feed-Version", String(version));
    return c.json({ status: true as const, items: answer });
  });

async function acceptAndNotify(c: Context<AppEnv>) {
  const { db, feedToken: token } = c.var;
  const accepted = await admission.letIn(
    token.subject,
    (onBytes) => readBody(c.req.raw, BODY_LIMIT, onBytes),
    (body) => acceptFeed(db, { body, token }),
  );
  await notifyOfFeed(new Inboxes(c.env), accepted.forListeners, {
    db,
    inBackground: (work) => background.run(c, work),
    onDelivery: (delivery) => writeMetrics(c.env, "delivery", { by: "feed", ...delivery }),
  });
  return accepted;
}

// The largest database of D1, on any plan.
const LARGEST_BYTES = 10_000_000_000;
const WARNED_AT_PERCENT = [70, 85, 95];

// The greatest percentage that this isolate has warned of.
let warnedAt = 0;

/** Warns in the log once for each of these percentages of the largest size that the database passes. */
function warnOfSize(databaseBytes: number | null): void {
  const isBeyond = (percent: number) => Number(databaseBytes) >= (percent / 100) * LARGEST_BYTES;
  const percent = WARNED_AT_PERCENT.findLast(isBeyond) ?? 0;
  if (percent <= warnedAt) return;
  warnedAt = percent;
  console.warn(JSON.stringify({ warning: "DATABASE_SIZE", percent, databaseBytes }));
}

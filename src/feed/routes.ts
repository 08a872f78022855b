import { createRouter } from "../app-env.ts";
import { refreshBoards } from "../customer/gamification/boards.ts";
import { bytesToRead, readBody } from "../http/body.ts";
import { invalid } from "../http/errors.ts";
import { nextLink } from "../http/paging.ts";
import { validate } from "../http/validate.ts";
import { tellOfFeed } from "../live/tell.ts";
import { describe } from "../openapi/describe.ts";
import { acceptFeed } from "./accept.ts";
import { Admission } from "./admission.ts";
import { FOREIGN_CURSOR, readPage } from "./export/page.ts";
import { BODY_LIMIT, NDJSON } from "./limits.ts";
import { exportRecords, sendLines } from "./operations.ts";
import { playedBoards } from "./records/play.ts";
import { ExportQuery } from "./schema.ts";

// The largest request takes 48 MB, and an isolate has 128 for everybody: one such at a time, or several smaller ones.
const admission = new Admission({
  bytes: 10 * 1024 * 1024,
  smallBytes: 64 * 1024,
  waitMilliseconds: 30_000,
  stayMilliseconds: 60_000,
});

export const feed = createRouter()
  .get("/", describe(exportRecords), validate("query", ExportQuery), async (c) => {
    const { record, after } = c.req.valid("query");

    const page = await readPage(c.var.db, { program: c.var.program.name, records: record, after });
    if (page === null) throw invalid({ after: [FOREIGN_CURSOR] });

    if (page.next !== undefined) c.header("Link", nextLink(c.req.url, page.next));
    c.header("X-Feed-Version", String(page.version));
    c.header("Content-Type", NDJSON);
    return c.body(page.text);
  })
  .post("/", describe(sendLines), async (c) => {
    const leave = await admission.enter(bytesToRead(c.req.raw, BODY_LIMIT));
    const work = readBody(c.req.raw, BODY_LIMIT)
      .then((body) => acceptFeed(c.var.db, { body, token: c.var.feedToken }))
      .finally(leave)
      .then(async (accepted) => {
        await tellOfFeed(c.var.inboxes, accepted.changes, {
          db: c.var.db,
          inBackground: (work) => c.var.cache.inBackground(work),
        });
        return accepted;
      });
    // So that it leaves even when its client is gone.
    c.executionCtx.waitUntil(work.catch(() => {}));
    const { items, batches, version } = await work;

    // The leaderboards that the plays touched are cached anew in the background.
    c.var.cache.inBackground(refreshBoards(c.var.db.inBackground(), c.var.cache, playedBoards(batches)));
    c.header("X-Feed-Version", String(version));
    return c.json({ status: true as const, items });
  });

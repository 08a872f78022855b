import { beforeEach, describe, it } from "vitest";
import { type Answer, as, mustFeed, restore } from "../support/api.ts";
import { EXPORT, exportPage, nextPage } from "../support/exporting.ts";
import { freshDatabase } from "../support/fresh-database.ts";
import { addUp, LAST_OLD_SECOND, setUpRetention, shop } from "./support.ts";

// docs/contract/export.md, 1.

beforeEach(setUpRetention);

const ENTRIES = 2_001;

/** The pages of an export. It begins again when a page is refused. Old events are added up after its first page. */
async function exportBesideSteps(): Promise<{ pages: Answer[]; refusals: Answer[] }> {
  const refusals: Answer[] = [];
  let pages: Answer[] = [];
  for (let next: string | undefined = EXPORT; next !== undefined; ) {
    const page = await exportPage(next);
    if (page.status === 422) refusals.push(page);
    pages = page.status === 422 ? [] : [...pages, page];
    next = page.status === 422 ? EXPORT : nextPage(page);
    const hasEntries = JSON.stringify(page.body).includes('"balance_entry","id"');
    if (hasEntries) await addUp();
  }
  return { pages, refusals };
}

describe("an export during which old events are added up", () => {
  it("is refused its next page, so that no event comes as a line and in a summary", async ({ expect }) => {
    const { lines, customerId, entry } = shop();
    await mustFeed(lines);
    // These ids come before those of summaries.
    const entries = Array.from({ length: ENTRIES }, (_, at) =>
      entry("1.00", LAST_OLD_SECOND, { id: `e${10_000 + at}` }),
    );
    await mustFeed(entries.slice(0, 1_000));
    await mustFeed(entries.slice(1_000));

    const { pages, refusals } = await exportBesideSteps();
    await freshDatabase("2026-06-10 07:00:00");
    for (const { body } of pages) await restore(body);
    const me = await as(customerId).get("/api/v1/customer/me");

    expect(me.body.items.balances).toMatchObject([{ balance: ENTRIES }]);
    const messages = { after: ["old events were added up meanwhile: start again"] };
    expect(refusals.map(({ body }) => body.messages)).toEqual([messages]);
  });
});

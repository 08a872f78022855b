import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { rows, value } from "../support/state.ts";
import {
  addUp,
  addUpInPart,
  FIRST_KEPT_SECOND,
  goTo,
  LAST_OLD_SECOND,
  setUpRetention,
  shop,
  storedIds,
  storedRetention,
} from "./support.ts";

// Which events are deleted, and what else changes (docs/contract/retention.md, 2).

beforeEach(setUpRetention);

const idsOf = (lines: readonly { id?: unknown }[]) => lines.map(({ id }) => id).sort();

describe("an event", () => {
  it("is deleted if it is from before the first month that is kept", async ({ expect }) => {
    const { lines, customerId, ...of } = shop();
    const eventsAt = (time: string) => [of.entry("5.00", time), of.earning("2.00", time), of.play("3.00", time)];
    const keptEvents = [...eventsAt(FIRST_KEPT_SECOND), seed.entry(customerId, lines[1]?.id, "1.00")];
    await mustFeed([...lines, ...eventsAt(LAST_OLD_SECOND), ...keptEvents]);

    await addUp();

    expect(await storedIds()).toEqual(idsOf(keptEvents));
    expect(await differences()).toEqual([]);
  });

  it("stays if it is a message of one of the two newest seconds of its group", async ({ expect }) => {
    const { lines, message } = shop();
    const messages = [1, 2, 3, 3, 4].map((day) => message(`2026-01-0${day} 00:00:00`));
    await mustFeed([...lines, ...messages]);

    await addUp();
    const idsAfterFirstRun = await storedIds();
    await goTo("2026-07-10 07:00:00");
    await mustFeed([message("2026-06-11 00:00:00"), message("2026-06-12 00:00:00")]);
    await addUp();

    expect(idsAfterFirstRun).toEqual(idsOf(messages.slice(2)));
    expect(await value("SELECT min(sent_at) FROM messages")).toBe("2026-06-11 00:00:00");
  });

  it("of an erased customer is added up too, and so is every old message of a removed group", async ({ expect }) => {
    const { lines, customerId, groupId, entry, message } = shop();
    const messages = [1, 2, 3].map((day) => message(`2026-01-0${day} 00:00:00`));
    const keptMessage = message("2026-06-01 00:00:00");
    await mustFeed([...lines, entry("5.00", LAST_OLD_SECOND), ...messages, keptMessage]);
    await mustFeed([seed.deleted("message_group", { id: groupId }), seed.deleted("customer", { id: customerId })]);

    await addUp();

    expect(await storedIds()).toEqual([keptMessage.id]);
    expect(await value("SELECT sum(amount) FROM balance_entries")).toBe(500);
    expect(await differences()).toEqual([]);
  });
});

describe("a step", () => {
  it("notifies nobody, and counts as a feed request if it deletes events", async ({ expect }) => {
    const { lines, customerId, otherId, ...of } = shop();
    await mustFeed(lines);
    await rows("INSERT INTO listeners VALUES (?, '9'), (?, '9')", customerId, otherId);
    const messages = [1, 2, 3].map((day) => of.message(`2026-01-0${day} 00:00:00`));
    await mustFeed([of.entry("5.00", LAST_OLD_SECOND), of.play("2", LAST_OLD_SECOND), ...messages]);
    await rows("DELETE FROM outbox");
    const version = Number(await value("SELECT version FROM program_state"));

    await addUp();

    expect(await rows("SELECT * FROM outbox")).toEqual([]);
    const answer = await mustFeed([of.entry("1.00", FIRST_KEPT_SECOND)]);
    expect(answer.headers.get("X-Feed-Version")).toBe(String(version + 3 + 1));
    expect(await storedRetention()).toMatchObject({ steps: 3 });
  });

  it("deletes at most 500 events, so that it does not delay other requests", async ({ expect }) => {
    const { lines, entry } = shop();
    await mustFeed(lines);
    await mustFeed(Array.from({ length: 501 }, () => entry("1.00", LAST_OLD_SECOND)));

    const { report } = await addUpInPart(1, 5_000);
    const idsAfterFirstStep = await storedIds();
    await addUp();

    expect(report).toMatchObject({ deleted: 500 });
    expect([idsAfterFirstStep.length, await storedIds()]).toEqual([1, []]);
    expect(await storedRetention()).toMatchObject({ steps: 2 });
  });

  it("writes less than 2.5 rows an event, even if each event changes a different balance", async ({ expect }) => {
    const EVENTS = 400;
    const account = seed.account();
    const stores = Array.from({ length: 10 }, () => seed.store(account.id));
    const campaigns = Array.from({ length: 4 }, () => seed.campaign(account.id));
    const customers = Array.from({ length: EVENTS }, () => seed.customer());
    const entries = customers.map(({ id }, index) =>
      seed.entry(id, stores[(index * 7) % 10]?.id, "1.00", {
        created_at: LAST_OLD_SECOND,
        ...(index % 2 === 0 && { campaign_id: campaigns[(index / 2) % 4]?.id }),
      }),
    );
    await mustFeed([account, ...stores, ...campaigns, ...customers, ...entries]);
    const batch = vi.spyOn(Object.getPrototypeOf(env.DB.withSession()), "batch");

    await addUp();

    const results = (await Promise.all(batch.mock.results.map(({ value }) => value))) as D1Result[][];
    const writtenRows = results.flat().reduce((sum, { meta }) => sum + meta.rows_written, 0);
    expect(await value("SELECT count(*) FROM balance_entries WHERE customer_key > 0")).toBe(EVENTS);
    expect(writtenRows / EVENTS).toBeLessThan(2.5);
  });
});

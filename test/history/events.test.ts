import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, it } from "vitest";
import { mustFeed } from "../support/api.ts";
import { differences } from "../support/differences.ts";
import * as seed from "../support/seed.ts";
import { value } from "../support/state.ts";
import {
  beginNight,
  endNight,
  goTo,
  KEPT,
  keepMonths,
  linesOf,
  OLD,
  seal,
  segments,
  shop,
  storedIds,
} from "./support.ts";

// Rules of docs/contract/history.md, 2: which events leave, and as what.

beforeEach(() => beginNight());
afterEach(endNight);

describe("an event", () => {
  it("leaves if its time is before the horizon, and stays if it is of that second or later", async ({ expect }) => {
    const { lines, ...of } = shop();
    const old = [of.entry("5.00", OLD), of.earning("2.00", OLD), of.play("3.00", OLD)];
    const kept = [
      of.entry("1.00", KEPT),
      of.earning("1.00", KEPT),
      of.play("1.00", KEPT),
      seed.entry(of.customerId, lines[1]?.id, "1.00"),
    ];
    keepMonths(undefined);
    await mustFeed([...lines, ...old, ...kept]);
    keepMonths(1);

    await seal();

    expect(await storedIds()).toEqual(kept.map(({ id }) => id).sort());
    const found = await Promise.all((await segments()).map(({ name }) => linesOf(name)));
    expect(
      found
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(old.map(({ id }) => id).sort());
  });

  it("leaves as the line that an export has of it, and its segment says what it holds", async ({ expect }) => {
    const { lines, earned, entry } = shop();
    const [one, other] = [earned("5.00", "2026-01-02 03:04:05"), entry("-1.25", OLD)];
    keepMonths(undefined);
    await mustFeed([...lines, one, other]);
    keepMonths(1);

    await seal();

    const [segment = {}] = await segments();
    expect(await linesOf(segment.name)).toEqual(
      [
        { description: "", ...one },
        { campaign_id: null, description: "", ...other },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    expect(segment).toMatchObject({
      ...{ kind: "balance_entry", month: "2026-05", number: 1, lines: 2 },
      ...{ oldest: "2026-01-02 03:04:05", newest: OLD, sums: '{"balance":375,"earned":500}' },
    });
    const object = await env.TEST_HISTORY.head(String(segment.name));
    expect([object?.size, object?.checksums.toJSON().sha256]).toEqual([segment.bytes, segment.sha256]);
  });

  it("of a message stays while it is of one of the two newest seconds of its group", async ({ expect }) => {
    const { lines, message } = shop();
    const times = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-03", "2026-01-04"].map(
      (day) => `${day} 00:00:00`,
    );
    const written = times.map((time) => message(time));
    keepMonths(undefined);
    await mustFeed([...lines, ...written]);
    keepMonths(1);

    await seal();
    const first = await storedIds();
    await goTo("2026-07-10 07:00:00");
    await mustFeed([message("2026-06-11 00:00:00"), message("2026-06-12 00:00:00")]);
    await seal();

    expect(first).toEqual(
      written
        .slice(2)
        .map(({ id }) => id)
        .sort(),
    );
    expect(await value("SELECT min(sent_at) FROM messages")).toBe("2026-06-11 00:00:00");
    expect((await segments()).map(({ month, lines: count }) => [month, count])).toEqual([
      ["2026-05", 2],
      ["2026-06", 3],
    ]);
  });

  it("of a removed group leaves with no group, also if it is of its newest second", async ({ expect }) => {
    const { lines, groupId, message } = shop();
    keepMonths(undefined);
    const written = [1, 2, 3].map((day) => message(`2026-01-0${day} 00:00:00`));
    await mustFeed([...lines, ...written, message("2026-06-01 00:00:00", { id: "kept" })]);
    await mustFeed([seed.deleted("message_group", { id: groupId })]);
    keepMonths(1);

    await seal();

    const [segment] = await segments();
    const left = written.map(({ id, sent_at }) => ({ id, sent_at, group_id: null }));
    expect(await linesOf(segment?.name)).toMatchObject(left.sort((one, other) => (one.id < other.id ? -1 : 1)));
    expect(await storedIds()).toEqual(["kept"]);
    expect(await differences()).toEqual([]);
  });

  it("of a customer who was erased leaves under the bare id", async ({ expect }) => {
    const { lines, customerId, entry } = shop();
    keepMonths(undefined);
    await mustFeed([...lines, entry("5.00", OLD)]);
    await mustFeed([seed.deleted("customer", { id: customerId })]);
    keepMonths(1);

    await seal();

    const [segment] = await segments();
    expect(await linesOf(segment?.name)).toMatchObject([{ customer_id: customerId }]);
    expect(await differences()).toEqual([]);
  });
});

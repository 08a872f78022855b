import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, it } from "vitest";
import { command } from "./command.ts";
import { customer, entries, feed, file, numbered, service } from "./fed-service.ts";

describe("npm run feed", () => {
  it("sends a file in order, in requests of at most 2,000 lines and 2 MiB, blank lines left out", async ({
    expect,
  }) => {
    const { args, received } = await service();
    const lines = numbered(2_001);
    const long = JSON.stringify({ record: "customer", id: "long", pad: "x".repeat(1_200_000) });
    const text = `${lines[0]}\n\n \n${lines.slice(1).join("\r\n")}\n${long}\n${long}`;

    const { status, output } = await feed(file("order.ndjson", text), ...args);

    expect(status).toBe(0);
    expect(output).toContain("2,003 lines committed (2,003 accepted, 0 ignored)");
    expect(received.map((request) => request.length)).toEqual([2_000, 2, 1]);
    expect(received.flat().map((line) => line.trimEnd())).toEqual([...lines, long, long]);
  });

  it("begins a request where a line deletes what one before it writes, or writes what one deletes", async ({
    expect,
  }) => {
    const { args, received } = await service();
    const pair = (customer_id: string, friend_id: string, rest: object) =>
      JSON.stringify({ record: "friendship", customer_id, friend_id, ...rest });
    const erasure = JSON.stringify({ record: "customer", id: "c1", deleted: true });
    const otherKind = JSON.stringify({ record: "store", id: "c1", deleted: true });
    const requests = [
      // Two lines may write the same record, and a key belongs to its kind.
      [customer(1), customer(2), customer(1), otherKind],
      [erasure, "[]", erasure],
      [customer(1), pair("c1", "c2", { status: 1 })],
      // A friendship is the same in both directions.
      [`\uFEFF${pair("c2", "c1", { deleted: true })}`, customer(3)],
      [pair("c1", "c2", { status: 0, deleted: false }), customer(1)],
      ['{"record":"customer","id":"c1","d\\u0065leted":true}'],
      [customer(1)],
    ];

    const { status, output } = await feed(file("turned.ndjson", requests.flat().join("\n")), ...args);

    expect(status, output).toBe(0);
    expect(received).toEqual(requests);
  });

  it("sends four requests at once of records whose order shows nowhere, and no more", async ({ expect }) => {
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    const { args, asked, received } = await service({ after }, { after }, { after }, { after }, { after });
    const running = feed(file("entries", entries(10_000).join("\n")), ...args);
    await expect.poll(() => asked.count, { timeout: 30_000 }).toBe(4);
    await sleep(200);
    const atOnce = asked.count;

    answer();

    const { status, output } = await running;
    expect(status, output).toBe(0);
    expect(output).toContain("10,000 lines committed");
    expect(atOnce).toBe(4);
    expect(received.flat().sort()).toEqual(entries(10_000).sort());
  });

  it("sends no more than 20,000 items of lists in a request", async ({ expect }) => {
    const { args, received } = await service();
    const store_ids = Array.from({ length: 4_000 }, (_, index) => `s${index}`);
    const lines = Array.from({ length: 6 }, (_, index) =>
      JSON.stringify({ record: "campaign", id: `k${index}`, store_ids }),
    );

    const { status } = await feed(file("lists", [customer(1), ...lines].join("\n")), ...args);

    expect(status).toBe(0);
    expect(received).toEqual([[customer(1), ...lines.slice(0, 5)], lines.slice(5)]);
  });

  it("reads gzip by its bytes, from a file or from standard input", async ({ expect }) => {
    const { args, received } = await service();

    await feed(file("named-otherwise", gzipSync(numbered(3).join("\n"))), ...args);
    const single = command("feed", ["-", ...args], { stdin: customer(9) });
    await single.ended;

    expect(single.output()).toContain("1 line committed (1 accepted, 0 ignored)");
    expect(received).toEqual([numbered(3), [customer(9)]]);
  });

  it("begins a request at each page of an export to restore, and keeps the limits", async ({ expect }) => {
    const { args, received, tokens } = await service();
    const lines = numbered(2_003);
    const text = `${lines[0]}\n${lines[1]}\n\n${lines.slice(2, 2_003).join("\n")}\n\n\n${customer(1)}\n\n`;

    const { status, output } = await feed(file("export", gzipSync(text)), "--restore", ...args);

    expect(status).toBe(0);
    expect(output).toContain("2,004 lines committed");
    expect(received.map((request) => request.length)).toEqual([2, 2_000, 1, 1]);
    expect(tokens).toEqual(Array(4).fill("Bearer t"));
  });

  it("goes on with a restore at a page's middle", async ({ expect }) => {
    const { args, received } = await service();
    const text = [customer(1), customer(2), "", customer(4), "", customer(6)].join("\n");

    await feed(file("rest", text), "--restore", "--from", "2", ...args);

    expect(received).toEqual([[customer(2)], [customer(4)], [customer(6)]]);
  });

  it("sends only the kinds asked for, from the line asked for", async ({ expect }) => {
    const { args, received } = await service();
    const account = JSON.stringify({ record: "account", id: "1", company: "x" });
    const place = file("kinds", [`\ufeff${customer(1)}`, account, customer(3)].join("\n"));

    await feed(place, "--only", "customer", "--from", "2", ...args);
    await feed(place, "--only", "account", ...args);

    expect(received).toEqual([[customer(3)], [account]]);
  });
});

import { gzipSync } from "node:zlib";
import { describe, it } from "vitest";
import { startCommand } from "./command.ts";
import { customer, customers, feed, fileOf } from "./feeding.ts";
import { scriptedService } from "./http-server.ts";

describe("npm run feed", () => {
  it("sends a file in order, in requests of at most 2,000 lines and 2 MiB, without blank lines", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();
    const lines = customers(2_001);
    const long = JSON.stringify({ record: "customer", id: "long", pad: "x".repeat(1_200_000) });
    const file = fileOf([`${lines[0]}`, "", " ", lines.slice(1).join("\r\n"), long, long]);

    const { status, output } = await feed(file, ...args);

    expect(status).toBe(0);
    expect(output).toContain("2,003 lines committed (2,003 accepted, 0 ignored)");
    expect(acceptedRequests.map((request) => request.length)).toEqual([2_000, 2, 1]);
    expect(acceptedRequests.flat().map((line) => line.trimEnd())).toEqual([...lines, long, long]);
  });

  it("starts a request where a line deletes a record that an earlier line writes, or the reverse", async ({
    expect,
  }) => {
    const { args, acceptedRequests } = await scriptedService();
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

    const { status, output } = await feed(fileOf(requests.flat()), ...args);

    expect(status, output).toBe(0);
    expect(acceptedRequests).toEqual(requests);
  });

  it("sends at most 20,000 items of lists in a request", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();
    const store_ids = Array.from({ length: 4_000 }, (_, index) => `s${index}`);
    const lines = Array.from({ length: 6 }, (_, index) =>
      JSON.stringify({ record: "campaign", id: `k${index}`, store_ids }),
    );

    const { status } = await feed(fileOf([customer(1), ...lines]), ...args);

    expect(status).toBe(0);
    expect(acceptedRequests).toEqual([[customer(1), ...lines.slice(0, 5)], lines.slice(5)]);
  });

  it("recognizes gzip by its bytes, in a file or from standard input", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();

    await feed(fileOf(gzipSync(customers(3).join("\n"))), ...args);
    const piped = startCommand("feed", ["-", ...args], { stdin: customer(9) });
    await piped.ended;

    expect(piped.output()).toContain("1 line committed (1 accepted, 0 ignored)");
    expect(acceptedRequests).toEqual([customers(3), [customer(9)]]);
  });

  it("starts a request at each page of an export to restore, and keeps the limits", async ({ expect }) => {
    const { args, requests, acceptedRequests } = await scriptedService();
    const lines = customers(2_003);
    const text = [...lines.slice(0, 2), "", ...lines.slice(2), "", "", customer(1), "", ""].join("\n");

    const { status, output } = await feed(fileOf(gzipSync(text)), "--restore", ...args);

    expect(status).toBe(0);
    expect(output).toContain("2,004 lines committed");
    expect(acceptedRequests.map((request) => request.length)).toEqual([2, 2_000, 1, 1]);
    expect(requests.map(({ token }) => token)).toEqual(Array(4).fill("Bearer t"));
  });

  it("continues a restore in the middle of a page", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();
    const lines = [customer(1), customer(2), "", customer(4), "", customer(6)];

    await feed(fileOf(lines), "--restore", "--from", "2", ...args);

    expect(acceptedRequests).toEqual([[customer(2)], [customer(4)], [customer(6)]]);
  });

  it("sends only the kinds of --only, from the line of --from", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();
    const account = JSON.stringify({ record: "account", id: "1", company: "x" });
    const file = fileOf([`\ufeff${customer(1)}`, account, customer(3)]);

    await feed(file, "--only", "customer", "--from", "2", ...args);
    await feed(file, "--only", "account", ...args);

    expect(acceptedRequests).toEqual([[customer(3)], [account]]);
  });
});

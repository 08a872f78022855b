import { gzipSync } from "node:zlib";
import { describe, it } from "vitest";
import { startCommand } from "./command.ts";
import { customer, customers, feed, fileOf } from "./feeding.ts";
import { scriptedService } from "./http-server.ts";

const PEOPLE = customers(2_003);
const line = (record: string, fields: object) => JSON.stringify({ record, ...fields });
const friends = (customer_id: string, friend_id: string, fields: object) =>
  line("friendship", { customer_id, friend_id, ...fields });

/** Two of these come to more than 2 MiB. */
const LONG = line("customer", { id: "long", pad: "x".repeat(1_200_000) });
/** Five of these have 20,000 items. */
const CAMPAIGNS = Array.from({ length: 6 }, (_, index) =>
  line("campaign", { id: `k${index}`, store_ids: Array.from({ length: 4_000 }, (_, store) => `s${store}`) }),
);
const ERASURE = line("customer", { id: "c1", deleted: true });
const DELETIONS = [
  // Two lines may write the same record, and a key belongs to its kind.
  [customer(1), customer(2), customer(1), line("store", { id: "c1", deleted: true })],
  [ERASURE, "[]", ERASURE],
  [customer(1), friends("c1", "c2", { status: 1 })],
  // A friendship is the same in both directions.
  [`\uFEFF${friends("c2", "c1", { deleted: true })}`, customer(3)],
  [friends("c1", "c2", { status: 0, deleted: false }), customer(1)],
  ['{"record":"customer","id":"c1","d\\u0065leted":true}'],
  [customer(1)],
];

describe("npm run feed", () => {
  it.for<{ does: string; file: readonly string[]; args?: string[]; requests: (readonly string[])[] }>([
    {
      does: "sends a file in order, in requests of at most 2,000 lines and 2 MiB, without blank lines",
      file: ["", " ", ...PEOPLE, LONG, "", LONG],
      requests: [PEOPLE.slice(0, 2_000), [...PEOPLE.slice(2_000), LONG], [LONG]],
    },
    {
      does: "sends at most 20,000 items of lists in a request",
      file: [customer(1), ...CAMPAIGNS],
      requests: [[customer(1), ...CAMPAIGNS.slice(0, 5)], CAMPAIGNS.slice(5)],
    },
    {
      does: "starts a request where a line deletes a record that an earlier line writes, or the reverse",
      file: DELETIONS.flat(),
      requests: DELETIONS,
    },
    {
      does: "starts a request at each page of an export to restore, and keeps the limits",
      file: [...PEOPLE.slice(0, 2), "", ...PEOPLE.slice(2), "", "", customer(1), "", ""],
      args: ["--restore"],
      requests: [PEOPLE.slice(0, 2), PEOPLE.slice(2, 2_002), PEOPLE.slice(2_002), [customer(1)]],
    },
    {
      does: "continues a restore in the middle of a page",
      file: [customer(1), customer(2), "", customer(4), "", customer(6)],
      args: ["--restore", "--from", "2"],
      requests: [[customer(2)], [customer(4)], [customer(6)]],
    },
    {
      does: "starts at the line of --from",
      file: [customer(1), customer(2), customer(3)],
      args: ["--from", "2"],
      requests: [[customer(2), customer(3)]],
    },
  ])("$does", async ({ file, args = [], requests }, { expect }) => {
    const service = await scriptedService();

    const { status, output } = await feed(fileOf(file), ...args, ...service.args);

    expect(status, output).toBe(0);
    expect(service.acceptedRequests).toEqual(requests);
    expect(service.requests[0]?.token).toBe("Bearer t");
  });

  it("reads a compressed file whose lines end as on Windows, and names one that is damaged", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();
    const zipped = gzipSync(customers(3).join("\r\n"));

    const whole = await feed(fileOf(zipped, "lines.gz"), ...args);
    const cutOff = await feed(fileOf(zipped.subarray(0, -9), "cut-off.gz"), ...args);

    expect(whole.status, whole.output).toBe(0);
    expect(acceptedRequests[0]).toEqual([`${customer(1)}\r`, `${customer(2)}\r`, customer(3)]);
    expect(cutOff.status).toBe(1);
    expect(cutOff.output).toContain("The file is not whole gzip data: ");
  });

  it("reads standard input for -, and counts the lines", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();

    const piped = startCommand("feed", ["-", ...args], { stdin: customer(9) });

    expect(await piped.ended).toBe(0);
    expect(piped.output()).toContain("1 line committed (1 accepted, 0 ignored)");
    expect(acceptedRequests).toEqual([[customer(9)]]);
  });
});

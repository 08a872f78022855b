import { describe, it } from "vitest";
import { FEED_BYTES } from "../support/feed-bytes.ts";
import { customer, feed, fileOf } from "./feeding.ts";
import { scriptedService } from "./http-server.ts";

describe("npm run feed -- --check", () => {
  const GROUP = { record: "message_group", id: "g", initial_customer_id: "c", member_ids: [] };
  const CLOCK = { message_stamp: "2026-05-01 10:00:00", message_clock_said: "2026-05-01 10:00:00" };
  const EXPORTED = [{ record: "program", ...CLOCK, horizon: "2026-04-01 00:00:00", retention_steps: 1 }, GROUP].map(
    (line) => JSON.stringify(line),
  );
  const BEGINNING = `${customer(1).slice(0, -1)},"pad":"`;
  const END = '"}';
  /** A line of 2 MiB. With its newline it is too long for a request. */
  const TOO_LONG = BEGINNING + "x".repeat(2 * 1024 * 1024 - BEGINNING.length - END.length) + END;
  const LONGEST = TOO_LONG.replace("xx", "x");

  it.for<[what: string, lines: string[], args: string[], ...says: string[]]>([
    ["accepts good lines", [customer(1), customer(2)], [], "2 lines checked, all good."],
    ["refuses the lines of an export", EXPORTED, [], "2 lines checked, 2 bad."],
    ["accepts the lines of an export to restore", EXPORTED, ["--restore"], "2 lines checked, all good."],
    ["accepts the longest line", [LONGEST], [], "1 line checked, all good."],
    ["refuses a line that is too long for a request", [TOO_LONG, customer(2)], [], "Line 1 is longer than 2 MiB"],
    [
      "names the faults of each line",
      [customer(1), "", '{"record":"store"}', "{"],
      [],
      ...["line 3.id: is required\nline 3.account_id: is required", "line 4: must be a JSON object"],
      "3 lines checked, 2 bad. Nothing was sent.",
    ],
  ])("%s", async ([, lines, args, ...says], { expect }) => {
    const { status, output } = await feed(fileOf(lines), "--check", ...args);

    for (const words of says) expect(output).toContain(words);
    expect(status).toBe(says[0]?.endsWith("all good.") ? 0 : 1);
  });

  it("warns once of each unknown field of a kind", async ({ expect }) => {
    const lines = [
      customer(1),
      JSON.stringify({ ...JSON.parse(customer(2)), dob: "1990-01-01", Avatar: "a.png", qqqqqq: 1 }),
      JSON.stringify({ record: "customer", id: "3", firstName: "Ada", last_name: "L" }),
      ...Array.from({ length: 1_500 }, (_, index) =>
        JSON.stringify({ ...JSON.parse(customer(10 + index)), dob: null }),
      ),
    ];

    const { status, output } = await feed(fileOf(lines), "--check");

    expect(status).toBe(1);
    expect(output.match(/^Warning.*(?=, so)/gm)).toEqual([
      "Warning: line 2: customer has no field dob",
      "Warning: line 2: customer has no field Avatar",
      "Warning: line 2: customer has no field qqqqqq",
      "Warning: line 3: customer has no field firstName",
    ]);
    expect(output).toContain("1,503 lines checked, 1 bad.");
  });

  it("reads bytes as the service does, in a check and when it sends them", async ({ expect }) => {
    const { args, acceptedRequests } = await scriptedService();
    const file = fileOf(Buffer.concat(FEED_BYTES.flatMap(({ body }) => [body, Buffer.from("\n")])));
    const faults: string[] = [];
    let linesBefore = 0;
    for (const { body, bad } of FEED_BYTES) {
      // The keys of `bad` are "line 1", "line 2" and so on, within the body.
      for (const [line, text] of Object.entries(bad)) {
        const number = linesBefore + Number(line.replace("line ", ""));
        faults.push(`line ${number}: ${text}`);
      }
      linesBefore += Buffer.from(body).toString("latin1").split("\n").length;
    }
    const lineCount = FEED_BYTES.reduce((sum, { lines }) => sum + lines, 0);

    const { output } = await feed(file, "--check");
    await feed(file, ...args);

    expect(output.match(/^line .*$/gm)).toEqual(faults);
    expect(output).toContain(`${lineCount} lines checked, ${faults.length} bad.`);
    expect(acceptedRequests.map((request) => request.length)).toEqual([lineCount]);
  });
});

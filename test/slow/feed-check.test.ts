import { describe, it } from "vitest";
import { FEED_BYTES } from "../support/feed-bytes.ts";
import { customer, feed, fileOf } from "./feeding.ts";
import { scriptedService } from "./http-server.ts";

describe("npm run feed -- --check", () => {
  it("accepts the lines of an export only with --restore", async ({ expect }) => {
    const program = {
      record: "program",
      message_stamp: "2026-05-01 10:00:00",
      message_clock_said: "2026-05-01 10:00:00",
    };
    const group = { record: "message_group", id: "g", initial_customer_id: "c", member_ids: [] };
    const file = fileOf([program, group].map((line) => JSON.stringify(line)));

    const ordinary = await feed(file, "--check");
    const restored = await feed(file, "--check", "--restore");

    expect(ordinary.output).toContain("2 lines checked, 2 bad.");
    expect(restored.output).toContain("2 lines checked, all good.");
  });

  it("checks a file with the service's schemas and sends nothing", async ({ expect }) => {
    const file = fileOf([customer(1), "", '{"record":"store"}', "{"]);

    const { status, output } = await feed(file, "--check");

    expect(status).toBe(1);
    expect(output).toContain("line 3.id: is required\nline 3.account_id: is required");
    expect(output).toContain("line 4: must be a JSON object");
    expect(output).toContain("3 lines checked, 2 bad. Nothing was sent.");
    expect((await feed(fileOf([customer(1)]), "--check")).status).toBe(0);
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
    expect(output.match(/^Warning.*$/gm)).toEqual([
      "Warning: line 2 and 1,500 more: customer has no field dob",
      "Warning: line 2: customer has no field Avatar; did you mean avatar?",
      "Warning: line 2: customer has no field qqqqqq",
      "Warning: line 3: customer has no field firstName; did you mean first_name?",
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

  it("refuses a line that is too long for a request", async ({ expect }) => {
    const empty = JSON.stringify({ record: "customer", id: "c1", first_name: "A", last_name: "B", pad: "" });
    const line = empty.replace('""', `"${"x".repeat(2 * 1024 * 1024 - empty.length)}"`);

    const { status, output } = await feed(fileOf([line, customer(2)]), "--check");

    expect(status).toBe(1);
    expect(output).toContain("Line 1 is longer than 2 MiB");
    expect((await feed(fileOf([line.replace("xx", "x")]), "--check")).output).toContain("all good");
  });
});

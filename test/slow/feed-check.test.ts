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
      ...[
        "line 3.id: is required\nline 3.account_id: is required",
        "line 4: must be a JSON object: it is not JSON, it ends too early, at character 1",
      ],
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
    expect(output.match(/^Warning.*/gm)).toEqual([
      "Warning: line 2.dob: no field of a customer",
      "Warning: line 2.Avatar: no field of a customer; did you mean avatar?",
      "Warning: line 2.qqqqqq: no field of a customer",
      "Warning: line 3.firstName: no field of a customer; did you mean first_name?",
    ]);
    expect(output).toContain("1,503 lines checked, 1 bad.");
  });

  const line = (record: string, fields: object) => JSON.stringify({ record, ...fields });
  const store = (id: string, latitude: number, longitude: number) =>
    line("store", { id, account_id: "1", name: "S", latitude, longitude });
  const coupon = (fields: object) =>
    line("coupon", { id: "q", account_id: "1", kind: "store", name: "Q", type: "T", value: "1", ...fields });
  const CITIES: [number, number][] = [
    [48.86, 2.35],
    [52.52, 13.4],
    [51.5, -0.12],
    [28.61, 77.2],
    [40.71, -74],
    [-33.45, -70.67],
  ];

  it.for<[what: string, lines: string[], ...warnings: string[]]>([
    [
      "Static_Date without can_expire",
      [coupon({ expiration_type: "Static_Date", expiration_date: "2030-01-01" })],
      "line 1.can_expire: is not 1",
    ],
    ["a coupon that ends", [coupon({ expiration_type: "Static_Date", can_expire: 1 })]],
    [
      "a clock beside a time zone",
      [coupon({ time_zone: "Asia/Tokyo", expiration_date: "2030-01-01 18:00:00" })],
      "line 1.expiration_date: is a time in UTC",
    ],
    ["a date beside a time zone", [coupon({ time_zone: "Asia/Tokyo", expiration_date: "2030-01-01" })]],
    [
      "swapped positions",
      CITIES.map(([latitude, longitude], at) => store(`s${at}`, longitude, latitude)),
      "latitude and longitude look swapped in 6 of 6 stores.",
    ],
    ["real positions", CITIES.map(([latitude, longitude], at) => store(`s${at}`, latitude, longitude))],
  ])("warns of what is not meant, in a check and when it sends: %s", async ([, lines, ...warnings], { expect }) => {
    const { args } = await scriptedService();

    const checked = await feed(fileOf(lines), "--check");
    const sent = await feed(fileOf(lines), ...args);

    for (const { status, output } of [checked, sent]) {
      expect(status, output).toBe(0);
      const said = output.match(/^Warning: .*/gm) ?? [];
      expect(said).toHaveLength(warnings.length);
      for (const warning of warnings) expect(said.join()).toContain(warning);
    }
  });

  const shop = store("s", 1, 1);
  const account = line("account", { id: "1", company: "C" });
  const member = (customer_id: string, referrer_id?: string) =>
    line("membership", { store_id: "s", customer_id, referrer_id });
  const filler = Array.from({ length: 2_000 }, (_, index) => customer(100 + index));

  it.for<[what: string, lines: string[], ...faults: string[]]>([
    [
      "a store in a later request",
      [account, member("c1"), ...filler, customer(1), shop],
      "line 2.store_id: names a record that comes later, on line 2,004: put that line before",
      "line 2.customer_id: names a record that comes later, on line 2,003",
    ],
    ["a record on a later line of one request", [member("c1"), customer(1), shop, account]],
    [
      "a sponsor on a later line",
      [account, shop, customer(1), customer(2), member("c2", "c1"), member("c1")],
      "line 5.referrer_id: names a record that comes later, on line 6",
    ],
    ["a sponsor on an earlier line", [account, shop, customer(1), customer(2), member("c1"), member("c2", "c1")]],
    [
      "an erased customer",
      [account, shop, customer(1), line("customer", { id: "c1", deleted: true }), member("c1")],
      "line 5.customer_id: names a record that line 4 erases",
    ],
    [
      "a member of a group in a later request",
      [
        customer(1),
        line("message_group", { id: "g", initial_customer_id: "c1", member_ids: ["c1", "c2"] }),
        ...filler,
        customer(2),
      ],
      "line 2.member_ids: names a record that comes later, on line 2,003",
    ],
  ])("looks at references and their order: %s", async ([, lines, ...faults], { expect }) => {
    const { status, output } = await feed(fileOf(lines), "--check");

    expect(output.match(/^line .*/gm) ?? []).toHaveLength(faults.length);
    for (const fault of faults) expect(output).toContain(fault);
    expect(status, output).toBe(faults.length > 0 ? 1 : 0);
  });

  it("warns of records that the file writes twice, such as stores whose id is their name", async ({ expect }) => {
    const { status, output } = await feed(fileOf([shop, account, store("t", 1, 1), shop, account, shop]), "--check");

    expect(status).toBe(0);
    expect(output).toContain(
      "Warning: line 4: the same store as on line 1, and 1 more such line: the last line counts.",
    );
    expect(output).toContain("Warning: line 5: the same account as on line 2: the last line counts.");
  });

  it("counts the records that must be stored", async ({ expect }) => {
    const { status, output } = await feed(fileOf([member("c1"), member("c2")]), "--check");

    expect(status).toBe(0);
    expect(output).toContain(
      "The file names 1 store, 2 records of customer that it does not have: these must be stored.",
    );
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

import { expectFields, expectList, expectSame } from "../expect.ts";
import { type Item, idsOf } from "../http.ts";
import { deletionOf, type Line, many } from "../lines.ts";
import { section } from "../suite.ts";

export const feedValues = section("feed, 3", ({ suite, ann, seed, seedChain, make, it }) => {
  const { chain, shop, plainCoupon } = seedChain(ann);
  const [league, player] = [seed.eipCampaign(chain), seed.employee(chain, "Ada")];

  /** Feeds one line for each of these values of a field. Expects each line to be refused for that field only. */
  const expectRefused = async (makeLine: (fields: Item) => Line, field: string, ...values: unknown[]) => {
    const badLines = values.map((value) => makeLine({ [field]: value }));
    await suite.expectRefused(badLines, ...badLines.map((_, index) => `line ${index + 1}.${field}`));
  };
  const aStore = (fields: Item) => make.store(chain, fields);
  const aCoupon = (fields: Item) => make.coupon(chain, fields);
  const aCampaign = (fields: Item) => make.campaign(chain, fields);
  const anEntry = (fields: Item) => make.entry(ann, shop, "1.00", fields);
  const anEarning = (fields: Item) => make.earning(shop, ann, 1, "1.00", fields);
  const aPlay = (fields: Item) => make.play(league, shop, player, fields);
  const anAccountUpdate = (fields: Item) => ({ ...chain, ...fields });
  const aCustomer = (fields: Item) => make.customer("A B", fields);
  const aMessage = (fields: Item) => make.message("talk", ann, "x", fields);
  const anIssuedCoupon = (fields: Item) => make.issued(ann, plainCoupon, shop, fields);

  it("A name has at most 200 code points in NFC.", async () => {
    await expectRefused(aStore, "name", "é".repeat(201), 7, undefined, null);
    await expectRefused(aCustomer, "first_name", undefined, null, "x".repeat(201));
    await expectRefused(make.account, "company", undefined, null, 7, "x".repeat(201));
    for (const makeLine of [aCoupon, aCampaign]) await expectRefused(makeLine, "name", "x".repeat(201));
    await suite.feed(aStore({ name: "\u{1F600}".repeat(200) }), aStore({ name: "한é".repeat(100).normalize("NFD") }));
  });
  it("Ids are strings, not numbers.", async () => {
    await expectRefused(aStore, "id", 7, 7.5, null, undefined);
    await expectRefused(anEntry, "campaign_id", 7);
    await expectRefused(make.account, "id", 7);
  });
  it("Other texts have at most 2,000 characters.", async () => {
    await expectRefused(aStore, "city", "x".repeat(2_001), 7, true);
    await expectRefused(aStore, "zip", 73_000, false);
    await expectRefused(make.account, "slug", "x".repeat(2_001), ["x"], {}, 1e300, 2 ** 60);
    await expectRefused(anAccountUpdate, "loyalty_options", { shipping_city: "x".repeat(2_001) }, [], "x", 1);
    const badValues = [{ team_breakdown: { level_1: 5 } }, { chain_logo: 7 }, { notify_user_admin: [1] }];
    await expectRefused(anAccountUpdate, "loyalty_options", ...badValues);
    await suite.feed(aStore({ city: "x".repeat(2_000) }));
  });
  it("Message bodies and descriptions have at most 4,000 characters.", async () => {
    await expectRefused(aMessage, "body", "x".repeat(4_001), undefined);
    await expectRefused(aCampaign, "campaign_description", "x".repeat(4_001));
    await expectRefused(anAccountUpdate, "loyalty_options", { description: "x".repeat(4_001) });
    await suite.feed(aCampaign({ campaign_description: "x".repeat(4_000) }));
  });
  it("`term_contents` and branded HTML have at most 65,536 characters.", async () => {
    await expectRefused(anAccountUpdate, "loyalty_options", { term_contents: "x".repeat(65_537) });
    await suite.feed(anAccountUpdate({ loyalty_options: { term_contents: "x".repeat(65_536) } }));
  });
  it("`chain_logo` has at most 262,144 characters.", async () => {
    await expectRefused(anAccountUpdate, "loyalty_options", { chain_logo: "x".repeat(262_145) });
    await suite.feed(anAccountUpdate({ loyalty_options: { chain_logo: "x".repeat(262_144) } }));
  });
  it("`store_ids` has at most 20,000 stores.", async () => {
    await expectRefused(aCampaign, "store_ids", "some", [7], [""], { a: 1 });
    await expectRefused(aCampaign, "store_ids", Array(20_001).fill("s"));
  });
  it("A date must exist in the calendar.", async () => {
    const badValues = ["", "2026-02-29", "2026-1-01", "2026-01-01 00:00:00", 2026, "tomorrow", "2026-13-01"];
    await expectRefused(aCampaign, "campaign_start_date", undefined, ...badValues);
    await expectRefused(aCustomer, "date_of_birth", ...badValues);
    await expectRefused((fields) => make.eipCampaign(chain, fields), "end_date", ...badValues);
    await suite.feed(aCustomer({ date_of_birth: "2024-02-29" }));
  });
  it("No text has a NUL or half of a surrogate pair.", async () =>
    expectRefused(aStore, "city", "\u0000", "\ud83d", "\ude00"));
  it("A text has at most 30 combining marks in a row.", async () => {
    const marks = (count: number) => `a${"\u0301".repeat(count)}`;
    await expectRefused(aStore, "city", marks(31), `${marks(30)}\u0316`, `b${"\u0335\u05b0".repeat(16)}`);
    await expectRefused(aCoupon, "text_lines", [marks(31)]);
    await expectRefused(anAccountUpdate, "loyalty_options", { chain_display_name: marks(31) });
    await suite.feed(aStore({ city: marks(30).repeat(60) }), aCoupon({ text_lines: [marks(30)] }));
  });
  it("An id has 1 to 64 characters, an account id 1 to 15 digits without a leading zero.", async () => {
    await expectRefused(aStore, "id", "x".repeat(65), "", 7, null, undefined, "\udfff", ".", "..", " s", "s\t");
    const storesWithOddIds = ["...", ".s", "s .. s"].map((id) => aStore({ id: `${id}${suite.word()}` }));
    await suite.feed(...storesWithOddIds);
    // At its end the suite deletes only records with ids of its own.
    await suite.feed(...storesWithOddIds.map(deletionOf));
    await expectRefused(make.account, "id", "0", "0123", "1234567890123456", "abc", 165, "", null);
    await expectRefused(anEntry, "campaign_id", "", 7);
  });
  it("The id of an event does not begin with `sealed:`.", async () => {
    for (const make of [anEntry, anEarning, aPlay, aMessage]) await expectRefused(make, "id", "sealed:1");
  });
  it("A coupon has at most 20 header and text lines, of at most 200 characters.", async () => {
    for (const field of ["header_lines", "text_lines"])
      await expectRefused(aCoupon, field, Array(21).fill("x"), ["x".repeat(201)], "one", [1]);
    await suite.feed(aCoupon({ header_lines: Array(20).fill("x") }));
  });
  it("`member_ids` has 2 to 100 customers.", async () => {
    const crowd = [ann.id, ...many(100, (index) => `x${index}`)];
    const badValues = [[ann.id], crowd, "a,b", [ann.id, ""], undefined, [ann.id, ann.id]];
    await expectRefused((fields) => make.group([ann], fields), "member_ids", ...badValues);
  });
  it("A decimal is a string with up to 9 digits and up to two fraction digits.", async () => {
    const badValues = [1, "1.234", "1,5", "1e3", ".5", "5.", "-", "1234567890123", "+1", ""];
    await expectRefused(anEntry, "amount", ...badValues, undefined, null);
    await expectRefused(aCampaign, "trigger_amount", ...badValues);
    await expectRefused(aPlay, "runs", ...badValues);
    await expectRefused(aCoupon, "value", ...badValues);
    const word = suite.word();
    await suite.feed(aCampaign({ name: word, cash_tender_multiplier: "2", trigger_amount: "-0.5" }));
    const [actual] = await suite.search(ann, "campaigns", word);
    expectFields(actual, { cash_tender_multiplier: "2.00", trigger_amount: "-0.50" });
    await suite.feed(...["-1", "999999999.99", "-999999999.99"].map((amount) => anEntry({ amount })));
  });
  it("An integer is a JSON number, 0 to 999,999,999, of a play from -999,999,999. A flag is 0 or 1.", async () => {
    await expectRefused(anIssuedCoupon, "total_count", -1, 1_000_000_000, "1", 1.5);
    for (const field of ["hits", "doubles", "triples"])
      await expectRefused(aPlay, field, -1_000_000_000, 1_000_000_000, "1", 1.5);
    await expectRefused(aCampaign, "status", "1", -1, 1.5, 1_000_000_000, true);
    await suite.feed(aPlay({ hits: -999_999_999, doubles: -1, triples: -1 }), aPlay({ hits: 999_999_999 }));
    await expectRefused(aCoupon, "can_expire", 2, "1", true);
    await expectRefused((fields) => anIssuedCoupon({ total_count: 1, ...fields }), "usage_count", 2);
  });
  it("A barcode is a string of 1 to 70 printable ASCII characters.", async () =>
    expectRefused(aCoupon, "coupon_barcode", 42, "", "12\u00e9", "1\t2", "1".repeat(71)));
  it("A campaign, contest or coupon that ends before it begins is a bad line.", async () => {
    await expectRefused(
      (fields) => aCampaign({ campaign_start_date: "2026-01-02", ...fields }),
      "campaign_end_date",
      "2026-01-01",
    );
    await expectRefused(
      (fields) => make.eipCampaign(chain, { start_date: "2026-01-02", ...fields }),
      "end_date",
      "2026-01-01",
    );
    const begun = { can_expire: 1, created_at: "2026-01-02" };
    await expectRefused((fields) => aCoupon({ ...begun, ...fields }), "expiration_date", "2026-01-01");
  });
  it("The time of an event, `read_at` and `joined_at` must not be more than a day ahead of the database's clock.", async () => {
    await expectRefused(anEntry, "created_at", "2099-01-01");
    await expectRefused(aPlay, "played_at", "2099-01-01");
    await expectRefused(aMessage, "sent_at", "2099-01-01");
  });
  it("Latitudes are -90 to 90, longitudes -180 to 180.", async () => {
    await expectRefused(aStore, "latitude", 90.1, -91, "35", null, true, undefined);
    await expectRefused(aStore, "longitude", -180.1, 180.5, undefined);
    await suite.feed(aStore({ latitude: -90, longitude: 180 }));
  });
  it("An end that is a date alone is the last second of that day in the line's `time_zone`. Answers show that second in UTC, and an export gives what was fed.", async () => {
    const issuedCoupon = anIssuedCoupon({ expected_end_date: "2090-05-06", time_zone: "Asia/Tokyo" });
    await suite.feed(issuedCoupon);
    expectFields(await suite.couponOf(ann, issuedCoupon), { expected_end_date: "2090-05-06 14:59:59" });
    await expectRefused(anIssuedCoupon, "expected_end_date", "2090-02-30", "soon", 7);
  });
  it("A time may be RFC 3339 with any offset, or a date alone, which is its midnight in UTC. Fractions of a second are cut off.", async () => {
    const badValues = ["2026-01-32", "2026-01-01T00:00:00", "2026-01-01 24:00:00", "2026-04-31 00:00:00"];
    for (const makeLine of [anEntry, aCoupon]) await expectRefused(makeLine, "created_at", ...badValues);
    await expectRefused(aPlay, "played_at", ...badValues);
    await expectRefused(aMessage, "sent_at", ...badValues);
    await suite.feed(anEntry({ created_at: "0001-01-01 23:59:59" }));
    for (const [created_at, expected] of [
      ["2026-01-06T09:00:00Z", "2026-01-06 09:00:00"],
      ["2026-01-06T09:00:00.999+05:30", "2026-01-06 03:30:00"],
      ["2026-01-06 09:00:00 -0500", "2026-01-06 14:00:00"],
      ["2026-01-06 09:00:00 UTC", "2026-01-06 09:00:00"],
      ["2026-01-06", "2026-01-06 00:00:00"],
    ]) {
      const issuedCoupon = anIssuedCoupon({ created_at });
      await suite.feed(issuedCoupon);
      const actual = await suite.couponOf(ann, issuedCoupon);
      expectFields(actual, { created_at: expected }, `a coupon created at ${created_at}`);
    }
  });
  it("`time_zone` is a name of IANA, such as `America/New_York`.", async () => {
    for (const makeLine of [aCampaign, aCoupon, anIssuedCoupon])
      await expectRefused(makeLine, "time_zone", "Mars/Olympus", "+01:00", "BST", "", 7);
    await suite.feed(aCampaign({ time_zone: "America/New_York" }));
  });
  it("`null` for a field that is not nullable means its default.", async () => {
    const word = suite.word();
    await suite.feed(aStore({ name: word, city: null }));
    const [actual] = await suite.search(ann, "stores", word);
    expectSame(actual?.city, "");
  });
  it("Unknown fields are ignored. The answer names the first ten, as `items.warnings`.", async () => {
    const line = aStore({ nobody: { knows: [1] } });
    const warnings = ["line 1.nobody: no field of a store"];
    expectSame((await suite.feed(line)).body.items, { accepted: 1, ignored: 0, warnings });
  });
  it("A field that is left out is null where the interface says nullable, and 0 if its name is that of a flag.", async () => {
    const word = suite.word();
    await suite.feed(aCampaign({ name: word, age_value: 7 }));
    const [actual] = await suite.search(ann, "campaigns", word);
    expectFields(actual, {
      age_value: 7,
      min_age: "",
      allow_cash_tender: 0,
      campaign_type: null,
      campaign_require_register: 0,
    });
    expectFields(actual?.account as Item, { parent_id: null, can_own_accounts: 0, slug: "", created_at: "" });
  });
});

export const feedRecords = section("feed, 4", ({ suite, ann, ben, seed, seedChain, make, it }) => {
  const { chain, shop, plainCoupon } = seedChain(ann, ben);
  const digitalCoupon = seed.coupon(chain, { kind: "digital" });
  const outsider = seed.customer();
  seed.membership(shop, ann);
  const talk = seed.group([ann, ben]);

  it("A line without a required field is refused.", async () => {
    const { caller: _, ...makers } = make;
    for (const makeLine of Object.values(makers)) {
      // A line that is made without values has only the required fields.
      const { record, ...requiredFields } = (makeLine as () => Line)();
      await suite.expectLineRefused({ record }, ...Object.keys(requiredFields));
    }
  });
  it("A field that is left out takes the default of its kind.", async () => {
    const [issuedCoupon, name] = [make.issued(ann, plainCoupon, shop), suite.word()];
    await suite.feed(make.campaign(chain, { name }), issuedCoupon);
    const [actual] = await suite.search(ann, "campaigns", name);
    expectFields(actual, {
      status: 1,
      trigger_type: "None",
      reward_type: "PercentDollarValue",
      cash_tender_multiplier: "1.00",
      trigger_amount: "0.00",
      campaign_end_date: null,
    });
    expectFields(await suite.couponOf(ann, issuedCoupon), {
      creation_method: "TriggeredSale",
      total_count: 1,
      usage_count: 0,
      updated_at: null,
      expiration_type: "Never_Expires",
      coupon_barcode: 0,
    });
  });
  it('`store_ids` is an array of stores of the account, or `"all"`, which includes future stores.', async () => {
    const coordinates = { latitude: -40, longitude: -150 };
    const query = { ...coordinates, single_account_id: chain.id };
    const nearbyCampaigns = () => suite.post(ann, "campaigns/near-by-popular-campaigns", query);
    const everywhere = make.campaign(chain);
    await suite.feed(everywhere);
    expectList(await nearbyCampaigns(), []);
    await suite.feed(make.store(chain, coordinates));
    expectSame(idsOf(await nearbyCampaigns()).includes(everywhere.id), true);
  });
  it("An earning is of a member of the store, or of one who has left.", async () => {
    await suite.expectLineRefused(make.earning(shop, outsider, 1, "1.00"), "customer_id");
    for (const level of [0, 6, "1"]) await suite.expectLineRefused(make.earning(shop, ann, level, "1"), "level_no");
  });
  it("A friendship is of two customers, without an order. Its `status` is 0 or 1.", async () => {
    await suite.expectLineRefused(make.friendship(ann, ann, 1), "friend_id");
    const name = suite.word();
    await suite.feed(make.caller(outsider, `Out ${name}`), make.friendship(ann, outsider, 0));
    await suite.feed(make.friendship(outsider, ann, 1));
    if (suite.settings.customerSearch === "none") return;
    expectList(await suite.search(ann, "customers", name), [1], "friend_status");
  });
  it("`member_ids` has the initial customer, and nobody twice.", async () => {
    await suite.expectLineRefused(make.group([ann, ann]), "member_ids");
    await suite.expectLineRefused(make.group([ann, ben], { initial_customer_id: outsider }), "member_ids");
  });
  it("A message is of a member of the group.", async () => {
    await suite.expectLineRefused(make.message(talk, outsider, "Hello"), "customer_id");
    await suite.expectLineRefused(make.messageState(talk, outsider), "customer_id");
  });
  it("A coupon that is issued is of the kind `store` or `mfg`.", async () =>
    suite.expectLineRefused(make.issued(ann, digitalCoupon, shop), "campaign_coupon_id"));
  it("The amount of a balance entry is a decimal.", async () =>
    suite.expectLineRefused(make.entry(ann, shop, "a lot"), "amount"));
  it("The kind of a coupon is `store`, `mfg` or `digital`.", async () =>
    suite.expectLineRefused(make.coupon(chain, { kind: "paper" }), "kind"));
});

import { expectFailure, expectInvalid, expectList, expectOk, expectSame, expectThat } from "../expect.ts";
import { deletionOf, type Line, many, time } from "../lines.ts";
import { section } from "../suite.ts";

const MOST_LINES = 2_000;
/** The most groups of 100 members that a request may touch. */
const MOST_GROUPS = 200;
const MOST_BYTES = 2 * 1_024 * 1_024;

export const feedRules = section("feed, 1", ({ suite, ann, seed, seedChain, make, it }) => {
  const { chain: ownAccount, shop, plainCoupon } = seedChain(ann);
  const { chain: otherAccount, shop: otherShop, plainCoupon: foreignCoupon } = seedChain();
  const [ada, bob] = [seed.customer(), seed.customer()];

  /** Sends lines with a token that may feed only the account `ownAccount`. */
  const sendForOwnAccount = async (...sentLines: Line[]) =>
    suite.send(sentLines, await suite.tokens.feed(ownAccount.id));
  const anEntry = (amount = "1.00", fields: object = {}) => make.entry(ada, shop, amount, { ...fields });
  const aCampaign = (stores: readonly unknown[]) => make.campaign(ownAccount, { store_ids: stores });
  /** A campaign that lists this many stores, which do not exist. */
  const campaignListing = (count: number) => aCampaign(many(count, (index) => `nowhere-${index}`));

  it("Blank lines are skipped, but count in line numbers. A byte order mark at the start of a line and CRLF are accepted.", async () => {
    const line = JSON.stringify(ada);
    await suite.expectCounts({ accepted: 2 }, "", `\uFEFF${line}\r`, "  ", line);
    await suite.expectRefused(["", "", '{"record": "store"'], "line 3");
  });
  it("The counts of accepted and ignored lines add up to the lines sent.", async () => {
    const first = anEntry();
    await suite.expectCounts({ accepted: 2 }, first, bob);
    await suite.expectCounts({ accepted: 2, ignored: 1 }, first, bob, anEntry());
  });
  it("A time left out is now when the record is first written, and unchanged afterwards.", async () => {
    const issuedCoupon = make.issued(ann, plainCoupon, shop);
    const createdAt = async () => String((await suite.couponOf(ann, issuedCoupon))?.created_at);
    const [earliestTime, latestTime] = [time(-5 * 60), time(5 * 60)];
    await suite.feed(issuedCoupon);
    const firstTime = await createdAt();
    expectThat(earliestTime <= firstTime && firstTime <= latestTime, `a time that was left out is ${firstTime}`);
    await suite.feed({ ...issuedCoupon, created_at: "2020-02-29 12:00:00" });
    await suite.feed({ ...issuedCoupon, total_count: 2 });
    expectSame(await createdAt(), "2020-02-29 12:00:00");
  });
  it("The fields and accounts of a repeated event are still checked; its references are not.", async () => {
    const erased = make.customer();
    const line = anEntry("1.00", { customer_id: erased.id });
    await suite.feed(erased, line);
    await suite.feed(deletionOf(erased));
    await suite.expectCounts({ ignored: 1 }, line);
    await suite.expectLineRefused({ ...line, amount: "x" }, "amount");
    expectFailure(await sendForOwnAccount(line, { ...line, store_id: otherShop.id }), 403, "FORBIDDEN");
  });
  it("A line with the id of another event, stored or on an earlier line, is bad. `messages` names the fields that differ: references and numbers, but no texts or times.", async () => {
    const line = anEntry("1.00", { description: "sale", created_at: "2026-01-05 09:00:00" });
    const otherLine = { ...line, customer_id: bob.id, amount: "2.00" };
    const withinOneRequest = await suite.send([line, otherLine]);
    const text = "is the id of another event: customer_id and amount differ";
    expectSame(withinOneRequest.body?.messages, { "line 2.id": [text] });
    await suite.feed(line);
    expectSame((await suite.send([otherLine])).body?.messages, { "line 1.id": [text] });
    expectSame((await suite.send([{ ...line, amount: "2" }])).body?.messages, {
      "line 1.id": ["is the id of another event: amount differs"],
    });
    await suite.expectCounts({ ignored: 1 }, { ...line, amount: "1.0", description: "", created_at: null });
  });
  it("If the token does not cover the account of the other event, only the id is said to be taken.", async () => {
    const foreignLine = make.entry(ada, otherShop, "1.00");
    await suite.feed(foreignLine);
    const answer = await sendForOwnAccount(anEntry("1.00", { id: foreignLine.id }));
    expectSame(answer.body?.messages, { "line 1.id": ["is taken; begin your ids with something of your own"] });
  });
  it("The fields and accounts of every line are checked.", async () => {
    const otherAccountsLine = { ...shop, account_id: otherAccount.id };
    const unknownAccountsLine = { ...shop, account_id: suite.accountId() };
    await suite.expectRefused([{ ...shop, latitude: 91 }, shop], "line 1.latitude");
    await suite.expectCounts({ accepted: 3 }, otherAccountsLine, unknownAccountsLine, shop);
    expectFailure(await sendForOwnAccount(otherAccountsLine, shop), 403, "FORBIDDEN");
    const ownCampaign = aCampaign([shop]);
    const reachingCampaign = { ...ownCampaign, store_ids: [shop.id, otherShop.id] };
    for (const laterLine of [ownCampaign, deletionOf(ownCampaign)])
      expectFailure(await sendForOwnAccount(reachingCampaign, laterLine), 403, "FORBIDDEN");
  });
  it('The record is "first stored" at its first line.', async () => {
    const name = suite.word();
    const [first, second] = [make.store(ownAccount, { name }), make.store(ownAccount, { name })];
    await suite.feed(second, first, second);
    expectList(await suite.search(ann, "stores", name), [second, first]);
  });
  it("Accounts and references are checked only when all fields are good, accounts (403) first.", async () => {
    const [foreignStore, badCampaign] = [make.store(otherAccount), aCampaign(["gone"])];
    expectInvalid(await sendForOwnAccount({ ...foreignStore, latitude: 91 }), "line 1.latitude");
    expectFailure(await sendForOwnAccount(foreignStore, badCampaign), 403, "FORBIDDEN");
    expectInvalid(await sendForOwnAccount(badCampaign), "line 1.store_ids");
  });
  it("A 413 says which limit, and how much the request holds.", async () => {
    const lines = [campaignListing(12_000), campaignListing(8_000), make.group([ada, bob])];
    for (const [body, ...numbers] of [
      ["{}\n".repeat(MOST_LINES + 1), "2,001", "2,000"],
      [" ".repeat(MOST_BYTES + 1), "2,097,153", "2 MiB"],
      [lines.map((line) => JSON.stringify(line)).join("\n"), "20,002", "20,000"],
    ] as [string, ...string[]][]) {
      const answer = await suite.send([body]);
      expectFailure(answer, 413, "PAYLOAD_TOO_LARGE");
      const missing = numbers.filter((number) => !String(answer.body.message).includes(number));
      expectSame(missing, [], String(answer.body.message));
    }
  });
  it("A request has at most 2,000 lines, without blank ones.", async () =>
    suite.expectCounts({ accepted: MOST_LINES }, ...Array(MOST_LINES).fill(ada), ...Array(10).fill("")));
  it("A body has at most 2 MiB.", async () => expectOk(await suite.send([JSON.stringify(ada).padEnd(MOST_BYTES)])));
  it("A request has at most 20,000 ids in all `store_ids` and `member_ids`.", async () =>
    await suite.expectRefused(
      [campaignListing(12_000), campaignListing(8_000)],
      "line 1.store_ids",
      "line 2.store_ids",
    ));
  it("A line touches a message group if it writes, deletes or names the group, or deletes a message of it. Each group counts once, with the members that it had before the request.", async () => {
    const crowd = many(100, () => make.customer());
    const groups = many(MOST_GROUPS + 1, () => make.group(crowd));
    await suite.feed(...crowd, ...groups.slice(100));
    await suite.feed(...groups.slice(0, 100));
    const messages = groups.map((group) => make.message(group, crowd[0], "Hello"));
    const messageStates = groups.map((group) => make.messageState(group, crowd[0]));
    for (const [what, lines] of Object.entries({
      messages,
      messageStates,
      deletedMessages: messages.map(deletionOf),
      // A line of a stored group counts twice: its own members, and the stored members that it replaces.
      groups: groups.slice(0, MOST_GROUPS / 2),
      deletedGroups: groups.map(deletionOf),
    })) {
      const [first = ada, ...others] = lines;
      const tooLarge = await suite.send([...lines, first]);
      expectFailure(tooLarge, 413, "PAYLOAD_TOO_LARGE");
      expectThat(tooLarge.text.includes("20,100"), `the answer to too many ${what}: ${tooLarge.text}`);
      await suite.feed(...others, ...others.slice(0, 1));
      await suite.feed(first);
    }
  });
  it("If any line is bad, nothing is applied.", async () => {
    const name = suite.word();
    const goodStore = make.store(ownAccount, { name });
    const [badStore, badEntry] = [make.store(ownAccount, { latitude: 91 }), anEntry("1.00", { customer_id: "nobody" })];
    await suite.expectRefused([goodStore, badStore], "line 2.latitude");
    await suite.expectRefused([goodStore, badEntry], "line 2.customer_id");
    expectList(await suite.search(ann, "stores", name), []);
  });
  it("A state is upserted by its key. A field left out takes its default.", async () => {
    const word = suite.word();
    const store = make.store(ownAccount, { name: `${word} one` });
    await suite.feed({ ...store, city: "Tulsa" });
    await suite.feed({ ...store, name: `${word} two` });
    const actual = (await suite.search(ann, "stores", word)).map(({ name, city }) => [name, city]);
    expectSame(actual, [[`${word} two`, ""]]);
  });
  it("Events are stored once by their `id`. The same event again, stored or on an earlier line, counts under `ignored`, so a retry is safe.", async () => {
    const line = anEntry();
    await suite.expectCounts({ accepted: 1, ignored: 1 }, line, line);
    await suite.expectCounts({ ignored: 1 }, line);
  });
  it("Of several lines about one state, the last counts.", async () => {
    const store = make.store(ownAccount, { name: suite.word() });
    await suite.expectCounts({ accepted: 2 }, { ...store, name: "First" }, store);
    expectList(await suite.search(ann, "stores", String(store.name)), [store]);
  });
  it('`messages` maps `"line <n>.<field>"` to texts, for the first 100 bad lines.', async () => {
    const badLines = [make.store(ownAccount, { latitude: 91, name: 7 }), { record: "nothing" }, "[1]"];
    await suite.expectRefused(badLines, "line 1.latitude", "line 1.name", "line 2.record", "line 3");
    const answer = await suite.send(many(101, () => ({ record: "store" })));
    const namedLines = new Set(Object.keys(answer.body.messages ?? {}).map((field) => field.split(".")[0]));
    expectSame([answer.status, namedLines.size], [422, 100]);
  });
  it("A record may refer to one that is stored, or that stands on any line of the same request.", async () => {
    const account = make.account();
    const store = make.store(account);
    await suite.expectCounts({ accepted: 3 }, make.membership(store, ada), store, account);
  });
  it("Any other reference is a bad line, named by its field.", async () => {
    const entry = make.entry("nobody", "nowhere", "1", { campaign_id: "nothing" });
    const cases: [Line, ...string[]][] = [
      [make.membership("nowhere", "nobody"), "customer_id", "store_id"],
      [entry, "customer_id", "store_id", "campaign_id"],
      [aCampaign([shop, "nowhere"]), "store_ids"],
      [make.issued("nobody", "nothing", "nowhere"), "customer_id", "campaign_coupon_id", "store_id"],
      [make.play("none", "nowhere", "nobody"), "eip_campaign_id", "location_id", "employee_id"],
      [make.registration("none", "nobody"), "campaign_id", "customer_id"],
      [make.message("none", ann, "x"), "group_id"],
    ];
    for (const [line, ...fields] of cases) await suite.expectLineRefused(line, ...fields);
  });
  it("The referrer of a membership must be a member already or stand on an earlier line.", async () => {
    const store = make.store(ownAccount);
    const join = (customer: unknown, referrer?: unknown) => make.membership(store, customer, { referrer_id: referrer });
    await suite.feed(store);
    // The contract does not say which line of a circle is named.
    for (const lines of [
      [join(ada, ada)],
      [join(ada), join(ada, ada)],
      [join(ada, bob), join(bob)],
      [join(ada, bob), join(bob, ada)],
      [join(ada), join(bob), join(ada, bob), join(bob, ada)],
      [join(ada), join(bob), join(ann), join(ada, ann), join(bob, ada), join(ann, bob)],
      [join(ada), join(bob, ada), deletionOf(join(ada))],
    ]) {
      const { status, body } = await suite.send(lines);
      const fields = Object.keys(body.messages ?? {}).map((field) => field.replace(/^line \d\./, ""));
      expectSame([status, ...new Set(fields)], [422, "referrer_id"], JSON.stringify(lines));
    }
    await suite.expectCounts({ accepted: 5 }, join(bob), join(ada), join(bob, ada), join(ann), join(bob, ada));
  });
  it("References stay within one account.", async () => {
    const [campaign, league] = [make.campaign(otherAccount), make.eipCampaign(otherAccount)];
    const player = make.employee(ownAccount, "Ada");
    await suite.feed(campaign, league, player);
    for (const [line, field] of [
      [aCampaign([otherShop]), "store_ids"],
      [{ ...campaign, store_ids: [shop.id] }, "store_ids"],
      [anEntry("1.00", { campaign_id: campaign }), "campaign_id"],
      [make.coupon(ownAccount, { campaign_id: campaign }), "campaign_id"],
      [make.issued(ann, foreignCoupon, shop), "campaign_coupon_id"],
      [make.play(league, shop, player), "eip_campaign_id"],
      [make.play(league, otherShop, player), "employee_id"],
    ] as const)
      await suite.expectLineRefused(line, field);
  });
  it("What a record belongs to never changes.", async () => {
    const [campaign, league] = [make.campaign(ownAccount), make.eipCampaign(ownAccount)];
    const player = make.employee(ownAccount, "Ada");
    const [talk, issuedCoupon] = [make.group([ada, bob]), make.issued(ann, plainCoupon, shop)];
    const [membership, referred] = [make.membership(shop, bob), make.membership(shop, ada, { referrer_id: bob })];
    await suite.feed(campaign, league, player, talk, membership, referred, issuedCoupon);
    const movedCoupon = { ...issuedCoupon, campaign_coupon_id: foreignCoupon.id, store_id: otherShop.id };
    for (const record of [shop, campaign, league, player])
      await suite.expectLineRefused({ ...record, account_id: otherAccount.id }, "account_id");
    for (const [line, ...fields] of [
      [{ ...plainCoupon, kind: "mfg" }, "kind"],
      [{ ...talk, initial_customer_id: bob.id }, "initial_customer_id"],
      [{ ...membership, referrer_id: ada.id }, "referrer_id"],
      [{ ...issuedCoupon, customer_id: ada.id }, "customer_id"],
      [movedCoupon, "campaign_coupon_id", "store_id"],
    ] as const)
      await suite.expectLineRefused(line, ...fields);
    for (const fields of [{}, { referrer_id: null }]) await suite.feed(make.membership(shop, ada, fields));
  });
  it("If the token does not cover one of them, the answer is 403 and nothing is applied. It names the lines, up to 100, but not the accounts.", async () => {
    const name = suite.word();
    const answer = await sendForOwnAccount(make.store(ownAccount, { name }), make.store(otherAccount, { name }));
    expectFailure(answer, 403, "FORBIDDEN");
    expectThat(/\b2\b/.test(String(answer.body.message)), "the message does not name line 2");
    expectThat(!answer.text.includes(otherAccount.id), "the message names the account");
    expectFailure(await sendForOwnAccount({ ...otherShop, account_id: ownAccount.id }), 403, "FORBIDDEN");
    expectList(await suite.search(ann, "stores", name), []);
  });
  it('Customers, friendships, blocks, message groups, messages and message states belong to no account and need `"accounts": "*"`.', async () => {
    const answer = await sendForOwnAccount(make.block(ada, bob), bob, shop, ada);
    expectFailure(answer, 403, "FORBIDDEN");
    expectThat(/\b1, 2, 4\b/.test(String(answer.body.message)), "the message does not name lines 1, 2 and 4");
  });
});

import { expectExactFields, expectFields, expectSame, namesIn } from "../expect.ts";
import { type Item, listOf } from "../http.ts";
import type { LineWithId } from "../lines.ts";
import { section } from "../suite.ts";

const PASSED_THROUGH = {
  parent_id: null,
  company_code: 7,
  data: "any \u{1F600} text",
  protected: true,
  slug: 1.25,
  created_at: "never",
};

const COUPON = {
  name: "Free wash",
  type: "Dollar_Off",
  value: "19.5",
  header_lines: ["a", 'With "quotes"'],
  text_lines: ["b"],
  can_expire: 1,
  expiration_type: "Static_Date",
  expiration_date: "2999-01-31",
  expiration: "soon",
  once_per_sale: 1,
  filter_items: 3,
  coupon_barcode: "0042",
  source_campaign_id: "elsewhere",
};
/** The coupon as an answer shows it, without ids. */
const ANSWERED_COUPON = { ...COUPON, value: "19.50", expiration_date: "2999-01-31 23:59:59", coupon_barcode: 42 };
const ISSUED = {
  coupon_id: "7",
  reserved: 1,
  total_count: 5,
  usage_count: 2,
  creation_method: "Birthday Coupon",
  expected_end_date: "2999-01-30 12:00:00",
  created_at: "2026-02-01 10:00:00",
  updated_at: "2026-02-02 10:00:00",
};

const ACCOUNT_FIELDS = namesIn(`
  id parent_id company company_code domain_name tenancy_initialization db_name bucket_name
  identity_tenant_identifier core_tenant_id core_app_account_id slug cw_company sc_company cw_primary_contact
  account_package_id can_own_accounts protected phone address country_id state_id city_id city state zip type
  partner_code partner_notify include_child_buydowns data created_at updated_at deleted_at applicable_tier
  loyalty_options
`);
const DETAILED_COUPON_FIELDS = namesIn(`
  id account_id customer_id campaign_coupon_id expected_end_date creation_method created_at updated_at deleted_at
  store_name campaign_id name coupon_barcode barcode type value header_lines text_lines can_expire expiration_type
  expiration once_per_sale expiration_date campaign_coupon_created total_count usage_count remaining_count
  store_image coupon_id reserved account campaign_coupon
`);
const ISSUED_COUPON_FIELDS = namesIn(`
  id account_id campaign_id source_campaign_id name type value header_lines text_lines can_expire expiration_type
  expiration_date expiration once_per_sale filter_items coupon_barcode
`);
const DIGITAL_COUPON_FIELDS = namesIn(`
  id account_id name coupon_barcode barcode type value is_digital header_lines text_lines can_expire expiration_type
  expiration once_per_sale is_custom expiration_date can_combine_with_other created_at
`);

export const objects = section("interface, 5", ({ suite, ann, seed, it }) => {
  const word = suite.word();
  const chain = seed.account({
    ...PASSED_THROUGH,
    loyalty_options: { mailer_password: "secret", chain_display_name: "Chain", team_breakdown: { level_1: "50" } },
  });
  const plainAccount = seed.account();
  const shop = seed.store(chain, { name: word, store_image: "https://images.example/s.png" });
  seed.caller(ann);
  seed.membership(shop, ann);
  const createdAt = "2026-01-02 03:04:05";
  const spring = seed.campaign(chain);
  const couponOfSpring = seed.coupon(chain, { ...COUPON, campaign_id: spring, created_at: createdAt });
  seed.coupon(chain, { kind: "digital", coupon_barcode: "0042" });
  const issuedCoupon = seed.issued(ann, couponOfSpring, shop, ISSUED);
  const issuedWithoutCampaign = seed.issued(
    ann,
    seed.coupon(plainAccount, { coupon_barcode: "AB-1" }),
    seed.store(plainAccount),
  );

  const couponOf = async ({ id }: LineWithId) =>
    listOf(await suite.get(ann, "coupons", { includemfg: "true" }), "stores").find((item) => item.id === id);
  const accountOf = async (coupon: LineWithId) => ((await couponOf(coupon))?.account ?? {}) as Item;
  const digitalCoupons = async () => listOf(await suite.get(ann, "my-coupons"), "digital");
  const accountInSearch = async () =>
    listOf(await suite.post(ann, "full-search", { query: word }), "stores")[0]?.account;

  it("An account in a list of coupons has exactly these fields.", async () => {
    expectExactFields((await couponOf(issuedCoupon))?.account, ACCOUNT_FIELDS);
  });
  it("Search results have `agreement_type`, but not `core_tenant_id`, `core_app_account_id` and `loyalty_options`. Coupon lists have these three, but not `agreement_type`.", async () => {
    const { core_tenant_id, core_app_account_id, loyalty_options, ...commonFields } = await accountOf(issuedCoupon);
    expectExactFields(await accountInSearch(), [...Object.keys(commonFields), "agreement_type"]);
  });
  it("Any JSON string, number, boolean or null comes back as it was fed.", async () =>
    expectFields((await accountInSearch()) as Item, PASSED_THROUGH));
  it("`loyalty_options` is an object, or null if the account has none.", async () => {
    const { loyalty_options } = await accountOf(issuedCoupon);
    expectFields(loyalty_options as Item, { chain_display_name: "Chain", team_breakdown: { level_1: "50" } });
    expectSame((await accountOf(issuedWithoutCampaign)).loyalty_options, null);
  });
  it('The seven `mailer_*` fields are credentials: they are never stored and always `""`.', async () => {
    const options = (await accountOf(issuedCoupon)).loyalty_options as Item;
    const mailer = Object.entries(options).filter(([name]) => name.startsWith("mailer_"));
    expectSame([mailer.length, mailer.filter(([, value]) => value !== "")], [7, []]);
  });
  it("A detailed coupon has exactly these fields.", async () => {
    expectExactFields(await couponOf(issuedCoupon), DETAILED_COUPON_FIELDS);
    const { account: _, campaign_coupon: __, ...actual } = (await couponOf(issuedCoupon)) ?? {};
    const { source_campaign_id, filter_items, ...shownFields } = ANSWERED_COUPON;
    expectSame(actual, {
      ...shownFields,
      barcode: COUPON.coupon_barcode,
      campaign_id: spring,
      campaign_coupon_created: createdAt,
      ...ISSUED,
      id: issuedCoupon,
      account_id: chain,
      customer_id: ann.id,
      campaign_coupon_id: couponOfSpring,
      store_name: word,
      store_image: "https://images.example/s.png",
      remaining_count: 3,
      deleted_at: null,
    });
  });
  it("`campaign_coupon` is the coupon that was issued.", async () => {
    const actual = (await couponOf(issuedCoupon))?.campaign_coupon as Item;
    expectExactFields(actual, ISSUED_COUPON_FIELDS);
    expectSame(actual, { ...ANSWERED_COUPON, id: couponOfSpring, account_id: chain, campaign_id: spring });
  });
  it('`campaign_id` is `""` for a coupon that belongs to no campaign. `coupon_barcode` is a number here, and 0 if the barcode is no number of at most 15 digits; `barcode` is its text.', async () => {
    expectFields(await couponOf(issuedWithoutCampaign), { campaign_id: "", coupon_barcode: 0, barcode: "AB-1" });
    expectFields(await couponOf(issuedCoupon), { campaign_id: spring, coupon_barcode: 42, barcode: "0042" });
  });
  it("A digital coupon has `account` and `coupon`, in which `coupon_barcode` is a string and keeps its leading zeros.", async () => {
    const [first] = await digitalCoupons();
    expectExactFields(first, ["account", "coupon"]);
    expectExactFields(first?.coupon, DIGITAL_COUPON_FIELDS);
    expectFields(first?.coupon as Item, { coupon_barcode: "0042", barcode: "0042", is_digital: 1 });
  });
});

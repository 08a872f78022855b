import * as z from "zod";
import { orNull, passedThrough } from "../values/scalar.ts";
import { AccountId, Field, Name } from "../values/text.ts";

/** The account object without its loyalty options (docs/contract/interface.md, 5.1), as fed and as answered. */
export const Account = z.object({
  id: AccountId.describe("The merchant account's id."),
  parent_id: orNull(Field).describe("The account above it, or null."),
  company: Name.describe("The merchant's name."),
  company_code: passedThrough(""),
  domain_name: passedThrough(""),
  tenancy_initialization: passedThrough(""),
  db_name: passedThrough(null),
  bucket_name: passedThrough(null),
  identity_tenant_identifier: passedThrough(""),
  core_tenant_id: passedThrough(""),
  core_app_account_id: passedThrough(""),
  slug: passedThrough(""),
  cw_company: passedThrough(""),
  sc_company: passedThrough(""),
  cw_primary_contact: passedThrough(""),
  account_package_id: passedThrough(""),
  can_own_accounts: passedThrough(0),
  agreement_type: passedThrough(""),
  protected: passedThrough(0),
  phone: passedThrough(""),
  address: passedThrough(""),
  country_id: passedThrough(""),
  state_id: passedThrough(null),
  city_id: passedThrough(null),
  city: passedThrough(""),
  state: passedThrough(""),
  zip: passedThrough(""),
  type: passedThrough(""),
  partner_code: passedThrough(""),
  partner_notify: passedThrough(""),
  include_child_buydowns: passedThrough(0),
  data: passedThrough(null),
  created_at: passedThrough(""),
  updated_at: passedThrough(""),
  deleted_at: passedThrough(null),
  applicable_tier: passedThrough(""),
});
export type Account = z.output<typeof Account>;

/** What it has in every answer: stored together. */
export const AccountFields = Account.omit({ agreement_type: true, core_tenant_id: true, core_app_account_id: true });

export const namesIn = (text: string) => text.trim().split(/\s+/);

/** The fields of docs/contract/interface.md, 5.1, that take any scalar. */
export const PASSED_THROUGH = namesIn(`
  company_code domain_name tenancy_initialization db_name bucket_name identity_tenant_identifier core_tenant_id
  core_app_account_id slug cw_company sc_company cw_primary_contact account_package_id can_own_accounts
  agreement_type protected phone address country_id state_id city_id city state zip type partner_code
  partner_notify include_child_buydowns data created_at updated_at deleted_at applicable_tier
`);

/** Those of 5.2. */
export const PASSED_THROUGH_OPTIONS = namesIn(`
  id account_id acc_card_identifier chain_display_name description default_balance_type point_conversion
  chain_active show_on_customer_portal selected_proof_165_id selected_proof_323_id selected_proof_258_id
  selected_proof_212_id sign_up_bonus_points referral_bonus_points employee_referral_bonus_points interest_bonus
  inactivity_months participate_in_offer min_redeem_amount default_cash_tender_multiplier
  default_non_cash_tender_multiplier default_allow_cash_tender default_allow_non_cash_tender
  campaign_for_points_redemption chain_logo_extension campaign_require_register shipping_contact_name
  shipping_address_line_1 shipping_address_line_2 shipping_city shipping_state shipping_zip
  notify_custom_admin_emails notify_per_day enable_purchase_instant earn_purchase_limit lock_on_purchase_limit
  lock_on_purchase_count temp_lock_enabled lock_duration_value lock_duration_units allow_employee_purchase_earning
  allow_employee_license_lookup return_type split_points_with_clerk purchases_needed_to_redeem redemption_limit
  redemption_limit_interval text_message_enable stackable validate_referral_code branded_site branded_site_url
  partner_tier show_partner_offers partner_ftp_connection_id partner_ftp_use_sub partner_ftp_sub_folder
  partner_notify_offers partner_main_email partner_company_id partner_notify_list alternate_slug
  branded_footer_content branded_email_header branded_email_footer branded_store_header_name branded_from_email
  token_sync_time level_sync_time created_at updated_at deleted_at
`);

export const MAILER_FIELDS = namesIn(`
  mailer_domain mailer_secret mailer_endpoint mailer_username mailer_password mailer_from_email mailer_from_name
`);

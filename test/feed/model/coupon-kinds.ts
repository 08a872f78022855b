import { changes, type ModelKind, softDelete, text, textOrNull, wrong } from "./kind.ts";
import { isCustomer } from "./tables.ts";

export const coupon: ModelKind = {
  keyOf: ({ id }) => id,
  write: (line, { after: { accounts, campaigns, coupons }, now }) => {
    const stored = coupons.get(text(line.id));
    const campaign_id = textOrNull(line.campaign_id);
    const isThere = accounts.has(text(line.account_id));
    if (!isThere || changes(stored, line, "account_id", "kind")) return;
    coupons.set(text(line.id), {
      account_id: text(line.account_id),
      kind: text(line.kind),
      campaign_id: campaigns.has(campaign_id ?? "") ? campaign_id : null,
      name: text(line.name),
      created_at: stored?.created_at ?? now,
      deleted: 0,
    });
  },
  remove: ({ id }, { coupons }) => softDelete(coupons.get(text(id))),
  accounts: ({ id, account_id, campaign_id }, { after }) => [
    account_id === undefined ? undefined : text(account_id),
    after.coupons.get(text(id))?.account_id,
    after.campaigns.get(text(campaign_id))?.account_id,
  ],
  badFields: (line, { after: { accounts, campaigns, coupons } }) => {
    const { id, account_id, campaign_id } = line;
    const stored = coupons.get(text(id));
    return wrong({
      account_id: !accounts.has(text(account_id)) || changes(stored, line, "account_id"),
      kind: changes(stored, line, "kind"),
      campaign_id: typeof campaign_id === "string" && campaigns.get(campaign_id)?.account_id !== account_id,
    });
  },
};

export const customerCoupon: ModelKind = {
  keyOf: ({ id }) => id,
  write: (line, { after, now }) => {
    const [customer_id, campaign_coupon_id, store_id] = [
      text(line.customer_id),
      text(line.campaign_coupon_id),
      text(line.store_id),
    ];
    const stored = after.customerCoupons.get(text(line.id));
    const isThere =
      isCustomer(after, customer_id) && after.coupons.has(campaign_coupon_id) && after.stores.has(store_id);
    if (!isThere || changes(stored, line, "customer_id", "campaign_coupon_id", "store_id")) return;
    const [usage_count, created_at] = [Number(line.usage_count), stored?.created_at ?? now];
    after.customerCoupons.set(text(line.id), { customer_id, campaign_coupon_id, store_id, usage_count, created_at });
  },
  remove: ({ id }, { customerCoupons }) => customerCoupons.delete(text(id)),
  accounts: ({ id, campaign_coupon_id, store_id }, { before, after }) => [
    after.coupons.get(text(campaign_coupon_id))?.account_id,
    after.stores.get(text(store_id))?.account_id,
    after.stores.get(before.customerCoupons.get(text(id))?.store_id ?? "")?.account_id,
  ],
  badFields: (line, { after }) => {
    const stored = after.customerCoupons.get(text(line.id));
    const [own, place] = [after.coupons.get(text(line.campaign_coupon_id)), after.stores.get(text(line.store_id))];
    const crosses = own !== undefined && place !== undefined && own.account_id !== place.account_id;
    return wrong({
      customer_id: !isCustomer(after, line.customer_id) || changes(stored, line, "customer_id"),
      campaign_coupon_id:
        own === undefined || own.kind === "digital" || crosses || changes(stored, line, "campaign_coupon_id"),
      store_id: place === undefined || changes(stored, line, "store_id"),
    });
  },
};

import { coupons, fullSearch, messages, nearbyCampaigns } from "./generated.ts";

const [token = ""] = process.argv.slice(2);
const asCustomer = { headers: { Authorization: `Bearer ${token}` } };

const near = await nearbyCampaigns({ latitude: 35.68, longitude: 139.76, single_account_id: "101" }, asCustomer);
const held = await coupons({ includemfg: true }, asCustomer);
const news = await messages({ per_page: 1 }, asCustomer);
const refused = await fullSearch({ query: "b" }, asCustomer);

const nearest = near.status === 200 ? near.data.items[0] : undefined;
const lists = held.status === 200 && held.data.status ? held.data.items : [];
const coupon = Array.isArray(lists) ? undefined : lists.stores[0];
const group = news.status === 200 && news.data.status ? news.data.items[0] : undefined;
const fields = refused.status === 422 ? refused.data.messages : undefined;
console.log(
  JSON.stringify({
    campaign: nearest?.id,
    coupon: coupon?.id,
    company: coupon?.account.company,
    group: group?.group_id,
    fields,
  }),
);

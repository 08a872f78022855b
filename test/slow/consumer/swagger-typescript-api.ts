import { Api } from "./generated-by-swagger-typescript-api.ts";

const [token = "", baseUrl = ""] = process.argv.slice(2);
const { api } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${token}` }, format: "json" } });

const near = await api.nearbyCampaigns({ latitude: 35.68, longitude: 139.76, single_account_id: "101" });
const held = await api.coupons({ includemfg: true });
const news = await api.messages({ per_page: 1 });
const refused = await api.fullSearch({ query: "b" }).catch((response) => response.error);

const lists = held.data.status ? held.data.items : [];
const coupon = Array.isArray(lists) ? undefined : lists.stores[0];
const group = news.data.status ? news.data.items[0] : undefined;
console.log(
  JSON.stringify({
    campaign: near.data.items[0]?.id,
    coupon: coupon?.id,
    company: coupon?.account.company,
    group: group?.group_id,
    fields: refused.messages,
  }),
);

import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { oncePerAccount, searchAccount } from "../../../accounts/queries.ts";
import { campaigns, customers, registrations, stores } from "../../../db/tables/index.ts";
import { isRunning } from "../../../domain/campaigns.ts";
import { customerKeyOf } from "../../../domain/customers.ts";
import { friendStatus } from "../../../domain/friendships.ts";
import { joinStoresOf } from "../../../domain/stores.ts";
import { NOTHING_PERSONAL } from "../answers.ts";
import type { SearchKind } from "../schema.ts";

/** For a statement whose `WITH` clause ends with `found(rank, key, forgiven)`: the rows of an answer. */
export const ANSWERS: Record<SearchKind, (value: (name: "caller") => Placeholder) => SQL> = {
  stores: readStores,
  campaigns: readCampaigns,
  customers: (value) => readCustomers(value("caller")),
};

function readStores(): SQL {
  const record = sql`CROSS JOIN ${stores} ON ${stores.key} = found.key`;
  // Not the position: JSON made by SQLite has fewer digits than a position may have.
  return sql`
    SELECT
      json_object(
        'id', ${stores.id}, 'name', ${stores.name},
        'store_image', ${stores.storeImage}, 'address_line_1', ${stores.addressLine1},
        'address_line_2', ${stores.addressLine2}, 'city', ${stores.city}, 'state', ${stores.state},
        'zip', ${stores.zip}, 'phone', ${stores.phone}
      ) AS store,
      ${stores.latitude} AS latitude, ${stores.longitude} AS longitude,
      found.forgiven AS forgiven,
      ${accountPart(record, sql`${stores.accountKey}`)}
    FROM found ${record}
    ORDER BY found.rank, found.key`;
}

/** The account of a record; its object stands beside one record of each account. */
function accountPart(record: SQL, accountKey: SQL): SQL {
  const object = oncePerAccount(searchAccount(accountKey), {
    list: sql`found ${record}`,
    key: sql`found.key`,
    accountKey,
  });
  return sql`${accountKey} AS account_key, ${object} AS account`;
}

/** Campaigns of any date and status: both are in the record. */
function readCampaigns(): SQL {
  const record = sql`CROSS JOIN ${campaigns} ON ${campaigns.key} = found.key`;
  return sql`
    SELECT
      json_object(
        'id', ${campaigns.id}, 'name', ${campaigns.name},
        'campaign_start_date', ${campaigns.campaignStartDate}, 'campaign_end_date', ${campaigns.campaignEndDate},
        'campaign_description', ${campaigns.campaignDescription}, 'status', ${campaigns.status}
      ) AS campaign,
      ${campaigns.details} AS details,
      found.forgiven AS forgiven,
      ${accountPart(record, sql`${campaigns.accountKey}`)}
    FROM found ${record}
    ORDER BY found.rank, found.key`;
}

const PERSONAL = sql.raw(
  Object.keys(NOTHING_PERSONAL)
    .map((name) => `'${name}', customers.${name}`)
    .join(", "),
);

/** With what the caller may see of each customer. */
function readCustomers(caller: Placeholder): SQL {
  return sql`,
    seen AS MATERIALIZED (
      SELECT found.rank, found.key, found.forgiven, (
        SELECT ${friendStatus(sql`caller.key`, sql`found.key`)} FROM (SELECT ${customerKeyOf(caller)} AS key) AS caller
      ) AS friend_status
      FROM found
    ),
    joined AS MATERIALIZED (
      SELECT seen.key, ${stores.accountKey} AS account_key, count(*) AS stores
      FROM seen ${joinStoresOf(sql`seen.key`)}
      GROUP BY seen.key, ${stores.accountKey}
    ),
    running AS MATERIALIZED (
      SELECT account_key, (
        SELECT count(*) FROM ${campaigns} WHERE ${campaigns.accountKey} = one.account_key AND ${isRunning(campaigns)}
      ) AS campaigns
      FROM (SELECT DISTINCT account_key FROM joined) AS one
    ),
    counted AS MATERIALIZED (
      SELECT joined.key, sum(joined.stores) AS stores, sum(running.campaigns) AS campaigns
      FROM joined LEFT JOIN running ON running.account_key = joined.account_key
      GROUP BY joined.key
    )
    SELECT
      json_object(
        'id', ${customers.id}, 'first_name', ${customers.firstName}, 'last_name', ${customers.lastName},
        'customer_description', ${customers.customerDescription}, 'avatar', ${customers.avatar},
        'friend_status', seen.friend_status
      ) AS customer,
      iif(${customers.id} = ${caller} OR seen.friend_status = 1, json_object(${PERSONAL}), NULL) AS personal,
      iif(${customers.id} = ${caller} OR seen.friend_status = 1, ${customers.balance} / 100.0, 0) AS balance,
      coalesce(counted.stores, 0) AS stores_count,
      coalesce(counted.campaigns, 0) AS campaigns_total,
      (
        SELECT count(*) FROM ${registrations}
        CROSS JOIN ${campaigns} ON ${campaigns.key} = ${registrations.campaignKey} AND ${isRunning(campaigns)}
        CROSS JOIN joined ON joined.key = seen.key AND joined.account_key = ${campaigns.accountKey}
        WHERE ${registrations.customerKey} = seen.key
      ) AS campaigns_registered,
      seen.forgiven AS forgiven
    FROM seen
    CROSS JOIN ${customers} ON ${customers.key} = seen.key
    LEFT JOIN counted ON counted.key = seen.key
    ORDER BY seen.rank, seen.key`;
}

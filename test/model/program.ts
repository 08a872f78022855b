import { pick, type Row } from "./kinds.ts";
import { type State, sum } from "./state.ts";
import { byCodePoint } from "./text.ts";
import { isWithin, today } from "./time.ts";
import { toDecimal, toHundredths } from "./values.ts";

// Nearby campaigns, teams and leaderboards (docs/contract/interface.md, 4.1, 4.3 and 4.7).

const EARTH_RADIUS_MILES = 3958.7613;
const DEPTHS = [1, 2, 3, 4, 5];

/** The great-circle distance, by the haversine formula. */
function miles(one: Row, other: Row): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const latitude = Math.sin(radians(other.latitude - one.latitude) / 2) ** 2;
  const longitude = Math.sin(radians(other.longitude - one.longitude) / 2) ** 2;
  const haversine = latitude + Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude)) * longitude;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.sqrt(Math.min(1, haversine)));
}

/** Whether a campaign is active, and today in its time zone is within its dates. */
export function isRunning({ status, campaign_start_date, campaign_end_date, time_zone }: Row, now: string): boolean {
  return status === 1 && isWithin(today(now, time_zone), campaign_start_date, campaign_end_date);
}

export function nearbyCampaigns(state: State, parameters: Row, now: string, radiusMiles: number): Row[] {
  const { count, single_account_id: account } = parameters;
  const nearby = state
    .all("store")
    .filter(({ id, account_id }) => account_id === account && state.shown("store", id))
    .map((store): Row => ({ id: store.id, distance: miles(parameters, store) }))
    .filter(({ distance }) => distance <= radiusMiles);
  return state
    .all("campaign")
    .filter((one) => one.account_id === account && state.shown("campaign", one.id) && isRunning(one, now))
    .flatMap((campaign) => {
      const stores = nearby.filter(({ id }) => campaign.store_ids === "all" || campaign.store_ids.includes(id));
      const isOfCampaign = (entry: Row) =>
        entry.campaign_id === campaign.id && stores.some(({ id }) => id === entry.store_id);
      const earned = sum(state.all("balance_entry").filter(isOfCampaign), ({ amount }) =>
        Math.max(0, toHundredths(amount)),
      );
      const distance = Math.min(...stores.map((store) => store.distance));
      return stores.length === 0 ? [] : { ...campaign, id: campaign.id, earned, distance };
    })
    .sort((one, other) => other.earned - one.earned || one.distance - other.distance || byCodePoint(one.id, other.id))
    .slice(0, count)
    .map((one) => ({
      ...pick(one, "name id campaign_description campaign_image"),
      distance: Math.round(one.distance * 100) / 100,
    }));
}

/** The members `depth` referrals below a customer. Former members are left out, but those below them are not. */
function membersBelow(state: State, store: string, root: string, depth: number): string[] {
  const memberships = state.all("membership").filter(({ store_id }) => store_id === store);
  let level = [root];
  for (let at = 0; at < depth; at += 1)
    level = memberships.filter(({ referrer_id }) => level.includes(referrer_id)).map(({ customer_id }) => customer_id);
  return level.filter((id) => state.find("membership", store, id)?.joined);
}

/** The members of a team; null if the caller may not see it, so that the answer is 404. */
export function team(
  state: State,
  store: string,
  caller: string,
  { level_no, team_member_id: root = caller }: Row,
): Row[] | null {
  if (!state.shown("store", store)) return null;
  const isMember = state.find("membership", store, caller)?.joined === true;
  const isOfTeam = isMember && DEPTHS.some((depth) => membersBelow(state, store, caller, depth).includes(root));
  if (root !== caller && !isOfTeam) return null;
  if (!isMember) return [];
  return DEPTHS.filter((depth) => level_no === undefined || depth === level_no).flatMap((depth) =>
    membersBelow(state, store, root, depth)
      .map((id) => teamMember(state, store, caller, { id, depth }))
      .sort((one, other) => byCodePoint(one.name, other.name) || byCodePoint(one.id, other.id)),
  );
}

function teamMember(state: State, store: string, caller: string, { id, depth }: { id: string; depth: number }): Row {
  const earnings = state.all("token_earning").filter((one) => one.store_id === store && one.customer_id === id);
  const earned = (level: number) =>
    sum(
      earnings.filter(({ level_no }) => level_no === level),
      ({ tokens }) => toHundredths(tokens),
    );
  return {
    id,
    name: state.nameOf(id),
    ...pick(state.customer(id) ?? {}, "customer_description avatar"),
    friend_status: state.friendStatus(caller, id),
    team_store_count: state.joinedStores(id).length,
    total_balance: state.balance(id, (one) => one === store) / 100,
    current_level: depth,
    levels: DEPTHS.map((level_no) => ({
      level_no,
      total_members: membersBelow(state, store, id, level_no).length,
      total_tokens_earned: earned(level_no) / 100,
    })),
  };
}

const TOTALS: Readonly<Record<string, string>> = {
  run: "total_runs",
  hit: "total_hits",
  double: "total_doubles",
  triple: "total_triples",
};

export const isRank = (rankOn: unknown): boolean => typeof rankOn === "string" && Object.hasOwn(TOTALS, rankOn);

export function leaderboard(state: State, { location_id, eip_campaign_id, rank_on = "run" }: Row, now: string): Row[] {
  const isCounted = ({ id, time_zone, start_date, end_date }: Row) =>
    eip_campaign_id === undefined ? isWithin(today(now, time_zone), start_date, end_date) : id === eip_campaign_id;
  const plays = state.all("play").filter((one) => {
    const contest = state.shown("eip_campaign", one.eip_campaign_id);
    return one.location_id === location_id && contest !== undefined && isCounted(contest);
  });
  const total = (one: Row): number => one[TOTALS[rank_on] ?? ""];
  const totals = state.all("employee").flatMap(({ id, name, avatar }): Row[] => {
    const playsOfEmployee = plays.filter(({ employee_id }) => employee_id === id);
    if (playsOfEmployee.length === 0 || !state.shown("employee", id) || !state.shown("store", location_id)) return [];
    return [
      {
        ...{
          employee_id: id,
          employee_name: name,
          avatar,
          total_runs: sum(playsOfEmployee, ({ runs }) => toHundredths(runs)),
        },
        total_hits: sum(playsOfEmployee, ({ hits }) => hits),
        total_doubles: sum(playsOfEmployee, ({ doubles }) => doubles),
        total_triples: sum(playsOfEmployee, ({ triples }) => triples),
      },
    ];
  });
  return totals
    .map((one): Row => ({ ...one, rank: 1 + totals.filter((other) => total(other) > total(one)).length }))
    .sort(
      (one, other) =>
        one.rank - other.rank ||
        byCodePoint(one.employee_name, other.employee_name) ||
        byCodePoint(one.employee_id, other.employee_id),
    )
    .slice(0, 100)
    .map((one) => ({ ...one, total_runs: toDecimal(one.total_runs).replace(/\.?0+$/, "") }));
}

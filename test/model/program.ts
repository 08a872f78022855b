import { pick, type Row } from "./kinds.ts";
import { type State, sum } from "./state.ts";
import { by } from "./text.ts";
import { isToday } from "./time.ts";

// Nearby campaigns, teams and leaderboards (docs/contract/interface.md, 4.1, 4.3 and 4.7).

const EARTH_RADIUS_MILES = 3958.7613;
const NEARBY_RADIUS_MILES = 25;
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
  return status === 1 && isToday(now, time_zone, { first: campaign_start_date, last: campaign_end_date });
}

export function nearbyCampaigns(state: State, parameters: Row, now: string): Row[] {
  const ofAccount = { account_id: parameters.single_account_id };
  const nearbyStores = state
    .allShown("store", ofAccount)
    .map((store): Row => ({ id: store.id, distance: miles(parameters, store) }))
    .filter(({ distance }) => distance <= NEARBY_RADIUS_MILES);
  return state
    .allShown("campaign", ofAccount)
    .filter((campaign) => isRunning(campaign, now))
    .flatMap((campaign): Row[] => {
      const stores = nearbyStores.filter(({ id }) => campaign.store_ids === "all" || campaign.store_ids.includes(id));
      if (stores.length === 0) return [];
      const earned = stores
        .flatMap(({ id }) => state.all("balance_entry", { campaign_id: campaign.id, store_id: id }))
        .filter(({ amount }) => Number(amount) > 0);
      const distance = Math.min(...stores.map((store) => store.distance));
      return [{ ...campaign, popularity: sum(earned, "amount"), distance }];
    })
    .sort(by("-popularity", "distance", "id"))
    .slice(0, parameters.count)
    .map((campaign) => ({
      ...pick(campaign, "name id campaign_description campaign_image"),
      distance: Math.round(campaign.distance * 100) / 100,
    }));
}

/** The members `depth` referrals below a customer. Former members are left out, but those below them are not. */
function membersBelow(state: State, store: string, root: string, depth: number): string[] {
  const memberships = state.all("membership", { store_id: store });
  let level = [root];
  for (let at = 0; at < depth; at += 1)
    level = memberships.filter(({ referrer_id }) => level.includes(referrer_id)).map(({ customer_id }) => customer_id);
  return level.filter((id) => state.current("membership", store, id));
}

/** The members of a team; null if the caller may not see it, so that the answer is 404. */
export function team(state: State, store: string, caller: string, parameters: Row): Row[] | null {
  const { level_no, team_member_id: root = caller } = parameters;
  if (!state.shown("store", store)) return null;
  const isMember = state.current("membership", store, caller) !== undefined;
  const isOfTeam = isMember && DEPTHS.some((depth) => membersBelow(state, store, caller, depth).includes(root));
  if (root !== caller && !isOfTeam) return null;
  if (!isMember) return [];
  const depths = DEPTHS.filter((depth) => level_no === undefined || depth === level_no);
  return depths.flatMap((depth) =>
    membersBelow(state, store, root, depth)
      .map((id) => teamMember(state, store, caller, { id, depth }))
      .sort(by("name", "id")),
  );
}

function teamMember(state: State, store: string, caller: string, { id, depth }: { id: string; depth: number }): Row {
  const levels = DEPTHS.map((level_no) => ({
    level_no,
    total_members: membersBelow(state, store, id, level_no).length,
    total_tokens_earned: sum(state.all("token_earning", { store_id: store, customer_id: id, level_no }), "tokens"),
  }));
  return {
    id,
    name: state.nameOf(id),
    ...pick(state.current("customer", id) ?? {}, "customer_description avatar"),
    friend_status: state.friendStatus(caller, id),
    team_store_count: state.joinedStores(id).length,
    total_balance: state.balance(id, (storeId) => storeId === store),
    current_level: depth,
    levels,
  };
}

export function leaderboard(state: State, parameters: Row, now: string): Row[] {
  const { location_id, eip_campaign_id, rank_on } = parameters;
  if (!state.shown("store", location_id)) return [];
  const isCounted = ({ id, time_zone, start_date, end_date }: Row) =>
    eip_campaign_id === undefined
      ? isToday(now, time_zone, { first: start_date, last: end_date })
      : id === eip_campaign_id;
  const contests = state.allShown("eip_campaign").filter(isCounted);
  const plays = contests.flatMap(({ id }) => state.all("play", { location_id, eip_campaign_id: id }));
  const players = state.allShown("employee").filter(({ id }) => plays.some(({ employee_id }) => employee_id === id));
  const totals = players.map(({ id, name, avatar }): Row => {
    const own = plays.filter(({ employee_id }) => employee_id === id);
    return {
      ...{ employee_id: id, employee_name: name, avatar },
      ...{ total_runs: sum(own, "runs"), total_hits: sum(own, "hits") },
      ...{ total_doubles: sum(own, "doubles"), total_triples: sum(own, "triples") },
    };
  });
  const total = (player: Row): number => player[`total_${rank_on}s`];
  return totals
    .map((player): Row => ({ ...player, rank: 1 + totals.filter((rival) => total(rival) > total(player)).length }))
    .sort(by("rank", "employee_name", "employee_id"))
    .slice(0, 100)
    .map((player) => ({ ...player, total_runs: String(player.total_runs) }));
}

import { emptyTexts, pick, type Row } from "./kinds.ts";
import { type State, sum } from "./state.ts";
import { by } from "./text.ts";
import { isToday } from "./time.ts";

// Nearby campaigns, teams, leaderboards and messages (docs/contract/interface.md, 4.1 to 4.3 and 4.7).

const EARTH_RADIUS_MILES = 3958.7613;
const NEARBY_RADIUS_MILES = 25;
const TEAM_DEPTH = 5;

/** The great-circle distance, by the haversine formula. */
function miles(from: Row, to: Row): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const latitude = Math.sin(radians(to.latitude - from.latitude) / 2) ** 2;
  const longitude = Math.sin(radians(to.longitude - from.longitude) / 2) ** 2;
  const haversine = latitude + Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * longitude;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.sqrt(Math.min(1, haversine)));
}

/** Whether a campaign is active, and today in its time zone is within its dates. */
export function isRunning({ status, campaign_start_date, campaign_end_date, time_zone }: Row, now: string): boolean {
  return status === 1 && isToday(now, time_zone, { first: campaign_start_date, last: campaign_end_date });
}

export function nearbyCampaigns(state: State, parameters: Row, now: string): Row[] {
  const { single_account_id: account_id, count } = parameters;
  const nearbyStores = state
    .allShown("store", { account_id })
    .map((store): Row => ({ store_id: store.id, distance: miles(parameters, store) }))
    .filter(({ distance }) => distance <= NEARBY_RADIUS_MILES);
  const campaigns = state.allShown("campaign", { account_id }).filter((campaign) => isRunning(campaign, now));
  return campaigns
    .map(({ store_ids, ...campaign }): Row => {
      const stores = nearbyStores.filter(({ store_id }) => store_ids === "all" || store_ids.includes(store_id));
      const positiveEntries = stores
        .flatMap(({ store_id }) => state.all("balance_entry", { campaign_id: campaign.id, store_id }))
        .filter(({ amount }) => Number(amount) > 0);
      const distance = Math.min(...stores.map((store) => store.distance));
      return { ...campaign, popularity: sum(positiveEntries, "amount"), distance };
    })
    .filter(({ distance }) => distance <= NEARBY_RADIUS_MILES)
    .sort(by("-popularity", "distance", "id"))
    .slice(0, count)
    .map(({ distance, ...campaign }) => ({
      ...pick(campaign, "name id campaign_description campaign_image"),
      distance: Math.round(distance * 100) / 100,
    }));
}

/** The members below a customer, a list for each depth. Former members are left out, but those below them are not. */
function membersBelow(state: State, store_id: string, root: string): string[][] {
  const memberships = state.all("membership", { store_id });
  let level = [root];
  return Array.from({ length: TEAM_DEPTH }, () => {
    level = memberships.filter(({ referrer_id }) => level.includes(referrer_id)).map(({ customer_id }) => customer_id);
    return level.filter((id) => state.current("membership", store_id, id));
  });
}

/** The members of a team; null if the caller may not see it, so that the answer is 404. */
export function team(state: State, store: string, caller: string, parameters: Row): Row[] | null {
  const { level_no, team_member_id: root = caller } = parameters;
  if (!state.shown("store", store)) return null;
  const isMember = state.current("membership", store, caller) !== undefined;
  const isOfTeam = isMember && membersBelow(state, store, caller).flat().includes(root);
  if (root !== caller && !isOfTeam) return null;
  const levels = isMember ? membersBelow(state, store, root) : [];
  return levels
    .flatMap((ids, index) => ids.map((id) => ({ ...teamMember(state, store, caller, id), current_level: index + 1 })))
    .filter(({ current_level }) => level_no === undefined || current_level === level_no)
    .sort(by("current_level", "name", "id"));
}

/** The fields of a customer in teams and message groups. For an erased customer, the texts are empty. */
function person(state: State, caller: string, id: string): Row {
  const customer = state.current("customer", id);
  const name = customer === undefined ? "" : `${customer.first_name} ${customer.last_name}`.replace(/^ +| +$/g, "");
  const { avatar = "", customer_description = "" } = customer ?? {};
  return { id, name, avatar, customer_description, friend_status: state.friendStatus(caller, id) };
}

function teamMember(state: State, store_id: string, caller: string, id: string): Row {
  return {
    ...person(state, caller, id),
    team_store_count: state.joinedStores(id).length,
    total_balance: sum(state.all("balance_entry", { customer_id: id, store_id }), "amount"),
    levels: membersBelow(state, store_id, id).map((members, index) => {
      const level_no = index + 1;
      const earnings = state.all("token_earning", { store_id, customer_id: id, level_no });
      return { level_no, total_members: members.length, total_tokens_earned: sum(earnings, "tokens") };
    }),
  };
}

export function leaderboard(state: State, parameters: Row, now: string): Row[] {
  const { location_id, eip_campaign_id: id, rank_on } = parameters;
  if (!state.shown("store", location_id)) return [];
  const contests = state
    .allShown("eip_campaign", id === undefined ? {} : { id })
    .filter(({ time_zone, start_date: first, end_date: last }) => id || isToday(now, time_zone, { first, last }));
  const plays = contests.flatMap((contest) => state.all("play", { location_id, eip_campaign_id: contest.id }));
  const players = state.allShown("employee").filter((player) => plays.some((play) => play.employee_id === player.id));
  const board = players.map(({ id, name, avatar }): Row => {
    const ownPlays = plays.filter(({ employee_id }) => employee_id === id);
    const totals = ["runs", "hits", "doubles", "triples"].map((count) => [`total_${count}`, sum(ownPlays, count)]);
    return { employee_id: id, employee_name: name, avatar, ...Object.fromEntries(totals) };
  });
  const total = (player: Row): number => player[`total_${rank_on}s`];
  return board
    .map((player): Row => ({ ...player, rank: 1 + board.filter((rival) => total(rival) > total(player)).length }))
    .sort(by("rank", "employee_name", "employee_id"))
    .slice(0, 100)
    .map((player) => ({ ...player, total_runs: String(player.total_runs) }));
}

/** The customer's groups that have a shown message, those with the newest message first. */
export function messageGroups(state: State, caller: string, { check_time = "" }: Row, now: string): Row[] {
  return state
    .all("message_group")
    .filter(({ member_ids }) => member_ids.includes(caller))
    .flatMap((group) => shownGroup(state, caller, group, now) ?? [])
    .filter(({ last_message_time }) => last_message_time > check_time)
    .sort(by("-last_message_time", "group_id"));
}

/** The group as the caller sees it; undefined if it shows no message. */
export function shownGroup(state: State, caller: string, group: Row, now: string): Row | undefined {
  const { id: group_id, group_image, initial_customer_id } = group;
  // A message is shown once its second is over. Messages of one second stay in the order in which they were stored.
  const shownMessages = state.all("message", { group_id }).filter(({ sent_at }) => sent_at < now);
  const last = shownMessages.sort(by("sent_at")).at(-1);
  if (last === undefined) return undefined;
  const { read_at, notifications_disabled = 0 } = state.find("message_state", group_id, caller) ?? {};
  const memberIds: string[] = group.member_ids.filter((id: string) => id !== caller);
  const members = memberIds.map((id) => ({
    ...person(state, caller, id),
    total_balance: sum(state.all("balance_entry", { customer_id: id }), "amount"),
    is_blocked: state.find("block", caller, id) !== undefined,
  }));
  // Who was erased since has no name, also if written again.
  const inLife = (id: string, life?: number) =>
    state.find("customer", id)?.life === life ? person(state, caller, id) : emptyTexts("name avatar");
  const initialCustomer = inLife(initial_customer_id, group.initial_life);
  const sender = inLife(last.customer_id, last.life);
  const isOwn = last.customer_id === caller && state.find("customer", caller)?.life === last.life;
  const isBlocked = state.find("block", caller, last.customer_id) !== undefined;
  return {
    group_id,
    group_image,
    group_name: groupName(members),
    initial_customer_id,
    notifications_disabled,
    last_message: isBlocked ? "" : last.body,
    last_message_time: last.sent_at,
    last_customer: last.customer_id,
    initial_customer_name: initialCustomer.name,
    initial_customer_avatar: initialCustomer.avatar,
    last_customer_name: isBlocked ? "" : sender.name,
    last_customer_avatar: isBlocked ? "" : sender.avatar,
    read_status: isBlocked || isOwn || (read_at ?? "") >= last.sent_at ? 1 : 0,
    group_members: members,
  };
}

function groupName(members: readonly Row[]): string {
  const names = members.filter(({ is_blocked }) => !is_blocked).map(({ name }) => name);
  const count = members.length - names.length;
  return [names.join(", "), count > 0 ? `(${count} blocked)` : ""].filter((part) => part !== "").join(" ");
}

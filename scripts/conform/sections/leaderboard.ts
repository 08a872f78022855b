import { expectExactFields, expectFields, expectInvalid, expectList, expectThat, namesIn } from "../expect.ts";
import { type Answer, itemsOf } from "../http.ts";
import { day, many } from "../lines.ts";
import { section } from "../suite.ts";
import { SORTED_NAMES } from "./conventions.ts";

const PATH = "gamification/leaderboard";
const BOARD_FRESH_SECONDS = 30;
const BOARD_LIMIT = 100;

const ITEM_FIELDS = namesIn(`
  employee_id employee_name avatar rank total_runs total_hits total_doubles total_triples
`);

export const leaderboard = section("interface, 4.7", async ({ suite, ann, seed, make, it }) => {
  await suite.waitIfDayEndsSoon();
  const unknownId = suite.id("unknown");
  const boardOf = (location_id: string | undefined, more: object = {}) =>
    suite.post(ann, PATH, { location_id, ...more });

  it("An unknown store or campaign gives empty `items`.", async () =>
    expectList(await boardOf(unknownId), [], "employee_id"));

  const chain = seed.account();
  const [shop, busyShop, tiedShop] = [seed.store(chain), seed.store(chain), seed.store(chain)];
  const runningLeague = seed.eipCampaign(chain, { end_date: day(0), start_date: day(0) });
  const endedLeague = seed.eipCampaign(chain, { end_date: day(-1) });
  const upcomingLeague = seed.eipCampaign(chain, { start_date: day(2) });
  const employeeNamed = (name: string) => seed.employee(chain, name);
  const [ada, bob, cid] = [employeeNamed("Ada"), employeeNamed("Bob"), employeeNamed("Cid")];
  const [dan, eva] = [employeeNamed("Bob"), employeeNamed("Eva")];
  seed.play(runningLeague, shop, ada, { runs: "1.50", hits: 1 });
  seed.play(runningLeague, shop, ada, { runs: "0.50", doubles: 2 });
  seed.play(runningLeague, shop, bob, { runs: "5", hits: 3, triples: 1 });
  seed.play(runningLeague, shop, cid, { runs: "0.5", hits: 9 });
  seed.play(runningLeague, shop, dan, { runs: "5" });
  seed.play(runningLeague, shop, eva);
  seed.play(endedLeague, shop, ada, { runs: "1000", hits: 50 });
  seed.play(upcomingLeague, shop, ada, { runs: "1000", hits: 50 });
  const crowd = many(BOARD_LIMIT + 20, () => employeeNamed("Crowd"));
  for (const [index, employee] of crowd.entries())
    seed.play(runningLeague, busyShop, employee, { runs: String(index % 3), triples: index });
  // For each total, an employee who shares it with more employees than the board can list.
  // The employee is the first of them by name, and the last by id. So a board that breaks ties by id leaves them out.
  const lowestTotals = { runs: "-1", hits: -1, doubles: -1, triples: -1 };
  const tiedTotals = { run: { runs: "0" }, hit: { hits: 0 }, double: { doubles: 0 }, triple: { triples: 20 } };
  const tiedEmployees = Object.entries(tiedTotals).map(([rank_on, total]) => {
    const employee = employeeNamed("Ann");
    seed.play(runningLeague, busyShop, employee, { ...lowestTotals, ...total });
    return { rank_on, employee };
  });
  for (const name of SORTED_NAMES.toReversed()) seed.play(runningLeague, tiedShop, employeeNamed(name));

  const board = (more: object = {}) => boardOf(shop.id, more);

  it("An item of a board has exactly these fields.", async () => {
    const [first] = itemsOf(await board());
    expectExactFields(first, ITEM_FIELDS);
    expectFields(first, { employee_id: bob, employee_name: "Bob", rank: 1 });
    expectFields(first, { total_runs: "5", total_hits: 3, total_doubles: 0, total_triples: 1 });
  });
  it("`eip_campaign_id` leaves the plays in this campaign; otherwise those in all campaigns that run now count.", async () => {
    expectList(await board({ eip_campaign_id: endedLeague.id }), [ada], "employee_id");
    expectList(await board({ eip_campaign_id: unknownId }), [], "employee_id");
    expectList(await board(), [bob, dan, ada, cid, eva], "employee_id");
  });
  it("Totals are over the employee's plays at that store. An employee whose plays add up to nothing is listed too.", async () =>
    expectList(await board(), ["5", "5", "2", "0.5", "0"], "total_runs"));
  it("Rank is highest first. Equal totals share a rank and the next rank is skipped: 1, 2, 2, 4. Order: rank, then name, then id.", async () => {
    expectList(await board(), [1, 1, 3, 4, 5], "rank");
    expectList(await boardOf(tiedShop.id), SORTED_NAMES, "employee_name");
  });
  it("A board has at most 100 items.", async () => {
    const byTriples = itemsOf(await boardOf(busyShop.id, { rank_on: "triple" }));
    expectList(byTriples.slice(0, -1), crowd.toReversed().slice(0, BOARD_LIMIT - 1), "employee_id");
    const ranks = [...Array(40).fill(1), ...Array(40).fill(41), ...Array(20).fill(81)];
    expectList(await boardOf(busyShop.id), ranks, "rank");
    for (const { rank_on, employee } of tiedEmployees) {
      const items = itemsOf(await boardOf(busyShop.id, { rank_on }));
      const isListed = items.some(({ employee_id }) => employee_id === employee.id);
      expectThat(isListed, `the first by name is listed by ${rank_on}`);
    }
  });
  it("`location_id` is required, in the body or else in the query string.", async () => {
    expectInvalid(await suite.post(ann, PATH, {}), "location_id");
    const isBoardOf = async (query: string, body: object) =>
      itemsOf(await suite.post(ann, `${PATH}?${query}`, body)).length > 0;
    for (const location_id of [undefined, "", null])
      expectThat(await isBoardOf(`location_id=${shop.id}`, { location_id }), "the store in the query string");
    expectThat(await isBoardOf("location_id=x&location_id=y", { location_id: shop.id }), "the store in the body");
    expectThat(!(await isBoardOf(`location_id=${shop.id}`, { location_id: unknownId })), "the body counts first");
  });
  it("`rank_on` names the total to rank by.", async () => {
    expectList(await board({ rank_on: "hit" }), [cid, bob, ada, dan, eva], "employee_id");
    expectList(await board({ rank_on: "double" }), [ada, bob, dan, cid, eva], "employee_id");
    expectList(await board({ rank_on: "triple" }), [bob, ada, dan, cid, eva], "employee_id");
  });
  it("A board shows every play whose feed request was answered 30 seconds ago or earlier.", async () => {
    const ask = () => board({ eip_campaign_id: runningLeague.id });
    const runsOfEva = (answer: Answer) =>
      Number(itemsOf(answer).find(({ employee_id }) => employee_id === eva.id)?.total_runs);
    const runsBefore = runsOfEva(await ask());
    await suite.feed(make.play(runningLeague, shop, eva, { runs: "1" }));
    await suite.until(ask, (answer) => runsOfEva(answer) === runsBefore + 1, BOARD_FRESH_SECONDS + 2);
  });
  it("The header `X-Board-Age` gives the age in seconds.", async () => {
    const age = Number((await board()).headers.get("X-Board-Age") ?? Number.NaN);
    expectThat(age >= 0 && age <= BOARD_FRESH_SECONDS, `X-Board-Age is ${age}`);
  });
});

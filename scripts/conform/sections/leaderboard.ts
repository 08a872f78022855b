import { expectExactFields, expectFields, expectInvalid, expectList, expectThat, fieldsListedIn } from "../expect.ts";
import { type Answer, type Item, itemsOf } from "../http.ts";
import { account, day, eipCampaign, employee, play, store } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";
import { SORTED_NAMES } from "./conventions.ts";

const PATH = "gamification/leaderboard";
const BOARD_FRESH_SECONDS = 30;
const BOARD_LIMIT = 100;

export async function leaderboard(suite: Suite): Promise<Section> {
  await suite.untilDayLasts();
  const { ann } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, busyShop, tiedShop, unknown } = suite.ids("shop busyShop tiedShop unknown");
  const { running, ended, upcoming } = suite.ids("running ended upcoming");
  const { ada, bob, cid, dan, eva } = suite.ids("ada bob cid dan eva");
  const crowd = Array.from({ length: BOARD_LIMIT + 20 }, () => suite.id("crowd"));

  const board = (more: object = {}, location: string | undefined = shop) =>
    suite.post(ann, PATH, { location_id: location, ...more });
  const playOf = (campaign: string, employeeId: string, fields: Item, at = shop) =>
    play(suite.id("play"), campaign, at, employeeId, fields);

  return {
    section: "interface, 4.7",
    rulesWithoutFeeding: {
      "An unknown store or campaign gives empty `items`.": async () => {
        expectList(await board({}, unknown), [], "employee_id");
      },
    },
    lines: [
      account(accountId),
      store(shop, accountId),
      store(busyShop, accountId),
      store(tiedShop, accountId),
      eipCampaign(running, accountId, { end_date: day(0), start_date: day(0) }),
      eipCampaign(ended, accountId, { end_date: day(-1) }),
      eipCampaign(upcoming, accountId, { start_date: day(2) }),
      employee(ada, accountId, "Ada"),
      employee(bob, accountId, "Bob"),
      employee(cid, accountId, "Cid"),
      employee(dan, accountId, "Bob"),
      employee(eva, accountId, "Eva"),
      playOf(running, ada, { runs: "1.50", hits: 1 }),
      playOf(running, ada, { runs: "0.50", doubles: 2 }),
      playOf(running, bob, { runs: "5", hits: 3, triples: 1 }),
      playOf(running, cid, { runs: "0.5", hits: 9 }),
      playOf(running, dan, { runs: "5" }),
      playOf(running, eva, {}),
      playOf(ended, ada, { runs: "1000", hits: 50 }),
      playOf(upcoming, ada, { runs: "1000", hits: 50 }),
      ...crowd.flatMap((id, index) => [
        employee(id, accountId, "Crowd"),
        playOf(running, id, { runs: String(index % 3), triples: index }, busyShop),
      ]),
      ...SORTED_NAMES.toReversed().flatMap((name) => {
        const id = suite.id("tied");
        return [employee(id, accountId, name), playOf(running, id, {}, tiedShop)];
      }),
    ],
    rulesWithFeeding: {
      "An item has `employee_id`, `employee_name`, `avatar`, `rank`, `total_runs` (a string), `total_hits`, `total_doubles`, `total_triples`.":
        async (rule) => {
          const [first] = itemsOf(await board());
          expectExactFields(first, fieldsListedIn(rule));
          expectFields(first, { employee_id: bob, employee_name: "Bob", rank: 1 });
          expectFields(first, { total_runs: "5", total_hits: 3, total_doubles: 0, total_triples: 1 });
        },
      "only plays in this campaign; otherwise in all campaigns that run now": async () => {
        expectList(await board({ eip_campaign_id: ended }), [ada], "employee_id");
        expectList(await board({ eip_campaign_id: unknown }), [], "employee_id");
        expectList(await board(), [bob, dan, ada, cid, eva], "employee_id");
      },
      "Totals are over the employee's plays at that store. An employee whose plays add up to nothing is listed too.":
        async () => {
          const answer = await board();
          expectList(answer, [bob, dan, ada, cid, eva], "employee_id");
          expectList(answer, ["5", "5", "2", "0.5", "0"], "total_runs");
        },
      "Rank is highest first. Equal totals share a rank and the next rank is skipped: 1, 2, 2, 4. Order: rank, then name, then id.":
        async () => {
          expectList(await board(), [1, 1, 3, 4, 5], "rank");
          expectList(await board({}, tiedShop), SORTED_NAMES, "employee_name");
        },
      "At most 100.": async () => {
        expectList(
          await board({ rank_on: "triple" }, busyShop),
          crowd.toReversed().slice(0, BOARD_LIMIT),
          "employee_id",
        );
        const ranks = [...Array(40).fill(1), ...Array(40).fill(41), ...Array(20).fill(81)];
        expectList(await board({}, busyShop), ranks, "rank");
      },
      "`location_id` | text | yes | a store; in the body, or else in the query string": async () => {
        expectInvalid(await suite.post(ann, PATH, {}), "location_id");
        const isBoardOf = async (query: string, body: object) =>
          itemsOf(await suite.post(ann, `${PATH}?${query}`, body)).length > 0;
        for (const location_id of [undefined, "", null])
          expectThat(await isBoardOf(`location_id=${shop}`, { location_id }), "the store in the query string");
        expectThat(await isBoardOf("location_id=x&location_id=y", { location_id: shop }), "the store in the body");
        expectThat(!(await isBoardOf(`location_id=${shop}`, { location_id: unknown })), "the body counts first");
      },
      "the total to rank by": async () => {
        expectList(await board({ rank_on: "hit" }), [cid, bob, ada, dan, eva], "employee_id");
        expectList(await board({ rank_on: "double" }), [ada, bob, dan, cid, eva], "employee_id");
        expectList(await board({ rank_on: "triple" }), [bob, ada, dan, cid, eva], "employee_id");
      },
      "A board is at most 30 seconds old: it shows every play whose feed request was answered 30 seconds ago or earlier.":
        async () => {
          const ask = () => board({ eip_campaign_id: running });
          const runsOfEva = (answer: Answer) =>
            Number(itemsOf(answer).find(({ employee_id }) => employee_id === eva)?.total_runs);
          const runsBefore = runsOfEva(await ask());
          await suite.feed(playOf(running, eva, { runs: "1" }));
          await suite.until(ask, (answer) => runsOfEva(answer) === runsBefore + 1, BOARD_FRESH_SECONDS + 2);
        },
      "The header `X-Board-Age` gives the age in seconds.": async () => {
        const age = Number((await board()).headers.get("X-Board-Age") ?? Number.NaN);
        expectThat(age >= 0 && age <= BOARD_FRESH_SECONDS, `X-Board-Age is ${age}`);
      },
    },
  };
}

import { expectFields, expectIds, expectInvalid, expectNames, expectSame, expectThat, fieldsIn } from "../expect.ts";
import { itemsOf } from "../http.ts";
import { account, day, eipCampaign, employee, play, store } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const PATH = "gamification/leaderboard";
const BOARD_FRESH_SECONDS = 30;
const MOST = 100;

/** docs/contract/interface.md, 4.7 */
export async function leaderboard(suite: Suite): Promise<Section> {
  await suite.untilDayLasts();
  const { ann } = await suite.callers();
  const accountId = suite.accountId();
  const { shop, busy, unknown, running, over, ahead } = suite.ids("shop busy unknown running over ahead");
  const { ada, bob, cid, dan, eva } = suite.ids("ada bob cid dan eva");
  const crowd = Array.from({ length: MOST + 20 }, () => suite.id("crowd"));

  const board = (more: object = {}, location: string | undefined = shop) =>
    suite.post(ann, PATH, { location_id: location, ...more });
  const played = (campaign: string, who: string, fields: object, at = shop) =>
    play(suite.id("play"), campaign, at, who, { ...fields });

  return {
    cited: "interface, 4.7",
    reads: {
      "`location_id` | text | yes | a store; in the body, or else in the query string": async () => {
        expectInvalid(await suite.post(ann, PATH, {}), "location_id");
        const answer = await suite.http.send(`/api/v1/customer/${PATH}?location_id=${unknown}`, {
          token: ann.token,
          body: "{}",
        });
        expectSame(answer.status, 200);
      },
      "An unknown store or campaign gives empty `items`.": async () => {
        expectIds(await board({}, unknown), [], "employee_id");
      },
    },
    lines: [
      account(accountId),
      store(shop, accountId),
      store(busy, accountId),
      eipCampaign(running, accountId, { end_date: day(0), start_date: day(0) }),
      eipCampaign(over, accountId, { end_date: day(-1) }),
      eipCampaign(ahead, accountId, { start_date: day(2) }),
      employee(ada, accountId, "Ada"),
      employee(bob, accountId, "Bob"),
      employee(cid, accountId, "Cid"),
      employee(dan, accountId, "Bob"),
      employee(eva, accountId, "Eva"),
      played(running, ada, { runs: "1.50", hits: 1 }),
      played(running, ada, { runs: "0.50", doubles: 2 }),
      played(running, bob, { runs: "5", hits: 3, triples: 1 }),
      played(running, cid, { runs: "0.5", hits: 9 }),
      played(running, dan, { runs: "5" }),
      played(running, eva, {}),
      played(over, ada, { runs: "1000", hits: 50 }),
      played(ahead, ada, { runs: "1000", hits: 50 }),
      ...crowd.flatMap((id, index) => [
        employee(id, accountId, "Crowd"),
        played(running, id, { runs: String(index % 3), triples: index }, busy),
      ]),
    ],
    feeds: {
      "An item has `employee_id`, `employee_name`, `avatar`, `rank`, `total_runs` (a string), `total_hits`, `total_doubles`, `total_triples`.":
        async (rule) => {
          const [first] = itemsOf(await board());
          expectNames(first, fieldsIn(rule));
          const wanted = {
            employee_id: bob,
            employee_name: "Bob",
            rank: 1,
            total_runs: "5",
            total_hits: 3,
            total_triples: 1,
          };
          expectFields(first, wanted);
        },
      "only plays in this campaign; otherwise in all campaigns that run now": async () => {
        expectIds(await board({ eip_campaign_id: over }), [ada], "employee_id");
        expectIds(await board({ eip_campaign_id: unknown }), [], "employee_id");
        expectIds(await board(), [bob, dan, ada, cid, eva], "employee_id");
      },
      "Totals are over the employee's plays at that store. An employee whose plays add up to nothing is listed too.":
        async () => {
          const items = itemsOf(await board());
          const came = items.map(({ employee_id, total_runs }) => [employee_id, total_runs]);
          expectSame(came, [
            [bob, "5"],
            [dan, "5"],
            [ada, "2"],
            [cid, "0.5"],
            [eva, "0"],
          ]);
        },
      "Rank is highest first. Equal totals share a rank and the next rank is skipped: 1, 2, 2, 4. Order: rank, then name, then id.":
        async () => {
          const ranks = itemsOf(await board()).map(({ rank }) => rank);
          expectSame(ranks, [1, 1, 3, 4, 5]);
        },
      "At most 100.": async () => {
        const [runs, triples] = [await board({}, busy), await board({ rank_on: "triple" }, busy)];
        expectIds(triples, crowd.toReversed().slice(0, MOST), "employee_id");
        const ranks = itemsOf(runs).map(({ rank }) => rank);
        const wanted = [...Array(40).fill(1), ...Array(40).fill(41), ...Array(20).fill(81)];
        expectSame(ranks, wanted);
      },
      "a store; in the body, or else in the query string": async () => {
        const at = async (query: string, body: object) =>
          itemsOf(await suite.post(ann, `${PATH}?${query}`, body)).length > 0;
        for (const location_id of [undefined, "", null])
          expectThat(await at(`location_id=${shop}`, { location_id }), "the store in the query string");
        expectThat(await at("location_id=x&location_id=y", { location_id: shop }), "the store in the body");
        expectThat(!(await at(`location_id=${shop}`, { location_id: unknown })), "the body counts first");
      },
      "the total to rank by": async () => {
        expectIds(await board({ rank_on: "hit" }), [cid, bob, ada, dan, eva], "employee_id");
        expectIds(await board({ rank_on: "double" }), [ada, bob, dan, cid, eva], "employee_id");
        expectIds(await board({ rank_on: "triple" }), [bob, ada, dan, cid, eva], "employee_id");
      },
      "A board is at most 30 seconds old: it shows every play whose feed request was answered 30 seconds ago or earlier.":
        async () => {
          const runs = async () =>
            itemsOf(await board({ eip_campaign_id: running })).find((item) => item.employee_id === eva)?.total_runs;
          const before = Number(await runs());
          await suite.feed(played(running, eva, { runs: "0.01" }));
          const wanted = String(Math.round(before * 100 + 1) / 100);
          await suite.until(
            () => board({ eip_campaign_id: running }),
            (answer) => itemsOf(answer).some((item) => item.employee_id === eva && item.total_runs === wanted),
            BOARD_FRESH_SECONDS + 2,
          );
        },
      "The header `X-Board-Age` gives the age in seconds.": async () => {
        const age = Number((await board()).headers.get("X-Board-Age") ?? Number.NaN);
        expectThat(age >= 0 && age <= BOARD_FRESH_SECONDS, `X-Board-Age is ${age}`);
      },
    },
  };
}

import type { Row } from "../../../test/model/kinds.ts";
import { Model } from "../../../test/model/model.ts";
import { messageGroups } from "../../../test/model/program.ts";
import { by } from "../../../test/model/text.ts";
import * as seed from "../../../test/support/seed.ts";

const BEGINNING = Date.UTC(2026, 5, 1) / 1_000;
const timeOf = (second: number) => new Date(second * 1_000).toISOString().slice(0, 19).replace("T", " ");

const [READER, WRITER] = [seed.customer(), seed.customer()];

/** A service that answers one customer's polls from the model of the contract. The test moves its clock, `now`. */
export class ServiceModel {
  now = BEGINNING;
  readonly #model = new Model();
  readonly #largestPage: number;

  constructor(largestPage = 100) {
    this.#largestPage = largestPage;
    this.#model.feed([READER, WRITER], { now: timeOf(this.now) });
  }

  /** Stores a message in each group. Its body is the group's id and the number of the message, such as `a 1`. */
  say(...ids: string[]): void {
    const messages = this.#model.state.all("message");
    const lines = ids.flatMap((id) => {
      const count = messages.filter(({ group_id }) => group_id === id).length;
      const group = count === 0 ? [seed.group([READER.id, WRITER.id], { id })] : [];
      return [...group, seed.message(id, WRITER.id, { body: `${id} ${count + 1}` })];
    });
    this.#model.feed(lines, { now: timeOf(this.now) });
  }

  /** The groups that show a message at `time` that is later than `checkTime`. */
  groupsAt(time: string, checkTime = ""): Row[] {
    return messageGroups(this.#model.state, READER.id, { check_time: checkTime }, time);
  }

  /** Answers a poll. The cursor of a page is the time and the id of its last group. */
  async fetch({ href, searchParams }: URL): Promise<Response> {
    const { check_time, per_page, after } = Object.fromEntries(searchParams);
    const limit = Math.min(Number(per_page), this.#largestPage);
    const [time = "", id = ""] = [after?.slice(0, 19), after?.slice(20)];
    const list = this.groupsAt(timeOf(this.now), check_time).filter(
      ({ last_message_time: at, group_id }) =>
        after === undefined || at < time || (at === time && by("id")({ id: group_id }, { id }) > 0),
    );
    const items = list.slice(0, limit);
    const last = items.at(-1);
    if (last === undefined) return Response.json({ status: false, errorCode: "NO_ITEMS" });
    const next = new URL(href);
    next.searchParams.set("after", `${last.last_message_time} ${last.group_id}`);
    const headers = list.length > limit ? { Link: `<${next}>; rel="next"` } : undefined;
    return Response.json({ status: true, items }, headers && { headers });
  }
}

/** A group with its messages as the seconds in which they were stored, the newest last. */
type Group = [id: string, seconds: number[]];

export const BEGINNING = Date.UTC(2026, 5, 1) / 1_000;
export const timeOf = (second: number) => new Date(second * 1_000).toISOString().slice(0, 19).replace("T", " ");
/** Texts in the order of their code points, as SQLite has it. */
const byCodePoint = (id: string) => Array.from(id, (one) => one.codePointAt(0)?.toString(16).padStart(6, "0")).join("");

/** The messages of a customer's groups, as the service keeps and lists them. */
export class ServiceModel {
  now = BEGINNING;
  readonly groups = new Map<string, number[]>();
  readonly #largestPage: number;

  constructor(largestPage = 100) {
    this.#largestPage = largestPage;
  }

  say(id: string): void {
    this.groups.set(id, [...(this.groups.get(id) ?? []), this.now]);
  }

  /** The page of groups as the service answers it: a message is shown once its second is over. */
  async fetch({ href, searchParams }: URL): Promise<Response> {
    const { check_time = "", per_page, after } = Object.fromEntries(searchParams);
    const limit = Math.min(Number(per_page), this.#largestPage);
    const list = [...this.groups]
      .flatMap(([id, seconds]) => shownOf([id, seconds.filter((second) => second < this.now)]))
      .filter(({ last_message_time }) => last_message_time > check_time)
      .map((group) => ({ group, place: placeOf(group.last_message_time, group.group_id) }))
      .filter(({ place }) => after === undefined || place > placeOf(after.slice(0, 19), after.slice(20)))
      .sort((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ group }) => group);
    const items = list.slice(0, limit);
    const last = items.at(-1);
    if (last === undefined) return Response.json({ status: false, errorCode: "NO_ITEMS" });
    const next = new URL(href);
    next.searchParams.set("after", `${last.last_message_time} ${last.group_id}`);
    const headers = list.length > limit ? { Link: `<${next}>; rel="next"` } : undefined;
    return Response.json({ status: true, items }, headers && { headers });
  }
}

function shownOf([group_id, seconds]: Group) {
  const last = seconds.at(-1);
  return last === undefined
    ? []
    : [{ group_id, last_message_time: timeOf(last), last_message: `${group_id} ${seconds.length}` }];
}

/** A text that sorts as the service's list does: newest first, then by id. */
function placeOf(time: string, id: string): string {
  return `${1e12 - Date.parse(`${time.replace(" ", "T")}Z`) / 1_000} ${byCodePoint(id)}`;
}

/** The newest message of each group that has one in this second or later. */
export const newsSince = ({ groups }: ServiceModel, second: number) =>
  [...groups].filter(([, seconds]) => (seconds.at(-1) ?? -1) >= second).map(([id, { length }]) => `${id} ${length}`);

/** Ids of groups, among them a pair whose order by UTF-16 unit is not that by code point. */
export const GROUP_IDS = ["a", "ab", "b", "c", "d", "e", "\u{ff5e}", "\u{1f600}"];

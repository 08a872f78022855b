import { type FailedResult, LoyaltyError, type MessageGroup } from "loyalty-edge/client";
import { answerView, readAll, textOf } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { ask } from "../lib/ask.ts";
import { entry, h, initials, list, momentOf, when } from "../lib/dom.ts";
import { replaceContent } from "../lib/focus.ts";

const CONSEQUENCE = "You no longer see what they write, and they no longer find you. They are not told.";
const NOTHING = "The newest message is by somebody whom you have blocked.";
const HISTORY_HINT = "The service gives the newest message. Those that come while this app is open stay here.";

type Member = MessageGroup["group_members"][number];

/** What is true for the customer as soon as they say it. */
type Said = Partial<MessageGroup>;

/** The customer's message groups, the newest message first. Opening a group reads it, and shows what was heard in it. */
export function createMessages({ client: { messages }, customer, say, count, endSignal: signal }: App): View {
  const lines = h("div");
  let newest = "";
  let groups: readonly MessageGroup[] = [];
  /** By group, the messages that were the newest at some time, oldest first. */
  const heard = new Map<string, MessageGroup[]>();
  /** By group, the time up to which the app has told the service that it is read. */
  const readUpTo = new Map<string, string>();
  /** By group, what the service has not answered yet. It is painted over what the service last answered. */
  const unanswered = new Map<string, Said>();

  const view = answerView(signal, {
    ask: (stop) => readAll(messages.all({}, { signal: stop })),
    show: ({ items }, isFirst) => {
      const { last_message_time: time = "", last_customer_name, last_message } = items[0] ?? {};
      if (!isFirst && time > newest) say(`${last_customer_name} writes: ${last_message}`);
      newest = time;
      groups = items;
      for (const group of items) hear(group);
      paint();
      return items.length === 0 ? [] : [lines];
    },
    empty: "Nobody has written yet. The till can send a message.",
  });
  return view;

  function hear(group: MessageGroup): void {
    const known = heard.get(group.group_id) ?? [];
    const { last_message: text, last_message_time: time, last_customer_name: name } = group;
    const isKnown = known.some(
      ({ last_message, last_message_time }) => last_message === text && last_message_time === time,
    );
    // The name of a blocked sender is empty.
    if (!isKnown && name !== "") heard.set(group.group_id, [...known, group]);
  }

  function paint(): void {
    const shown = groups.map((group) => ({ ...group, ...unanswered.get(group.group_id) }));
    count("messages", shown.filter(({ read_status }) => read_status === 0).length, "unread");
    replaceContent(lines, ...list(shown.map(drawGroup)));
  }

  /**
   * Paints what the customer says at once, and says that it is done. If the service refuses it, or does not answer, paints
   * what was before.
   */
  async function tell(
    group: MessageGroup,
    said: Said,
    done: string,
    call: () => Promise<{ status: true } | FailedResult>,
  ): Promise<void> {
    unanswered.set(group.group_id, said);
    paint();
    try {
      const result = await call();
      if (!result.status) say(textOf(result));
      else if (done !== "") say(done);
      await view.refresh();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LoyaltyError)) throw error;
      say("The service does not answer.");
    } finally {
      unanswered.delete(group.group_id);
      paint();
    }
  }

  function drawGroup(group: MessageGroup): HTMLElement {
    const { group_id: id, last_customer_name: person, last_message, last_message_time, read_status } = group;
    const isMuted = group.notifications_disabled === 1;
    const about = person === "" ? "Blocked" : `${person}: ${last_message}`;
    const texts = entry(
      group.group_name,
      `${about}${isMuted ? " · muted" : ""}`,
      when(last_message_time),
      initials(person),
    );
    const badge = read_status === 0 ? [h("b", {}, "Unread")] : [];
    const button = (act: string, label: string, click: () => void) =>
      h("button", { type: "button", "data-key": `${id}/${act}`, click }, label);
    const mute = button("mute", isMuted ? "Unmute" : "Mute", () => void tellMuted(group));
    const blocks = group.group_members.map((member) => {
      const label = `${member.is_blocked ? "Unblock" : "Block"} ${member.name}`;
      return button(`block-${member.id}`, label, () => void tellBlocked(group, member));
    });
    const summary = h("summary", { class: "row", "data-key": `${id}/open` }, ...texts, ...badge);
    const details = h("details", { name: "group" }, summary, ...drawHeard(group));
    details.append(h("p", { class: "menu" }, mute, ...blocks));
    details.addEventListener("toggle", () => details.open && markRead(group));
    return h("li", {}, details);
  }

  function drawHeard({ group_id, group_name, group_members, read_status }: MessageGroup): HTMLElement[] {
    const blockedIds = group_members.filter(({ is_blocked }) => is_blocked).map(({ id }) => id);
    const shown = (heard.get(group_id) ?? []).filter(({ last_customer }) => !blockedIds.includes(last_customer));
    if (shown.length === 0) return [h("p", { class: "hint" }, NOTHING)];
    const bubbles = shown.map((message, index) => {
      const isOwn = message.last_customer === customer.id;
      const isLast = index === shown.length - 1;
      const about = [isOwn ? "You" : message.last_customer_name, momentOf(message.last_message_time)];
      if (isLast && !isOwn && read_status === 1) about.push("read");
      const head = h("small", { class: "hint" }, about.join(" · "));
      return h("li", { class: isOwn ? "own" : "" }, head, h("p", {}, message.last_message));
    });
    const thread = h("ol", { class: "thread", "aria-label": `Messages of ${group_name}` }, ...bubbles);
    return [thread, h("p", { class: "hint" }, HISTORY_HINT)];
  }

  /** Marks an open group as read, once for each newest message: a refusal must not be followed by the same request. */
  function markRead(group: MessageGroup): void {
    const { group_id: id, last_message_time, read_status } = group;
    if (read_status === 1 || readUpTo.get(id) === last_message_time) return;
    readUpTo.set(id, last_message_time);
    void tell(group, { read_status: 1 }, "", () => messages.markRead(group, { signal }));
  }

  function tellMuted(group: MessageGroup): Promise<void> {
    const isMuted = group.notifications_disabled === 1;
    const call = () => messages[isMuted ? "unmute" : "mute"](group.group_id, { signal });
    const done = `${group.group_name} ${isMuted ? "unmuted" : "muted"}`;
    return tell(group, { notifications_disabled: isMuted ? 0 : 1 }, done, call);
  }

  async function tellBlocked(group: MessageGroup, { id, name, is_blocked }: Member): Promise<void> {
    if (!is_blocked && !(await ask(`Block ${name}?`, CONSEQUENCE, "Block"))) return;
    const call = () => messages[is_blocked ? "unblock" : "block"](id, { signal });
    const group_members = group.group_members.map((member) =>
      member.id === id ? { ...member, is_blocked: !is_blocked } : member,
    );
    const isHidden = group.last_customer === id && !is_blocked;
    const hidden: Said = isHidden ? { last_message: "", last_customer_name: "", read_status: 1 } : {};
    return tell(group, { group_members, ...hidden }, `${name} ${is_blocked ? "unblocked" : "blocked"}`, call);
  }
}

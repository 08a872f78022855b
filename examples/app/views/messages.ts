import type { MessageGroup } from "loyalty-edge/client";
import { answerView, readAll } from "../lib/answer-view.ts";
import type { App, View } from "../lib/app.ts";
import { entry, h, initials, list, when } from "../lib/dom.ts";

/** The customer's message groups, the newest message first. */
export function createMessages({ client, say, count, endSignal }: App): View {
  let newest = "";
  return answerView(endSignal, {
    ask: (signal) => readAll(client.messages.all({}, { signal })),
    show: ({ items: groups }, isFirst) => {
      const { last_message_time: time = "", last_customer_name, last_message } = groups[0] ?? {};
      if (!isFirst && time > newest) say(`${last_customer_name} writes: ${last_message}`);
      newest = time;
      count("messages", groups.filter(({ read_status }) => read_status === 0).length, "unread");
      return list(groups.map(drawGroup));
    },
    empty: "Nobody has written yet. The till can send a message.",
  });
}

function drawGroup(group: MessageGroup): HTMLElement {
  const { group_name: name, last_customer_name: person, last_message, last_message_time } = group;
  const isMuted = group.notifications_disabled === 1;
  const about = `${person}: ${last_message}${isMuted ? " · muted" : ""}`;
  const unreadBadge = group.read_status === 0 ? [h("b", {}, "Unread")] : [];
  return h("li", { class: "row" }, ...entry(name, about, when(last_message_time), initials(person)), ...unreadBadge);
}

import { linkOf } from "../../lib/call.ts";
import {
  expectExactFields,
  expectFailure,
  expectFields,
  expectInvalid,
  expectList,
  expectSame,
  expectThat,
  fieldsListedIn,
} from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf, itemsOrNone } from "../http.ts";
import { account, block, customer, entry, friendship, group, message, messageState, store, time } from "../lines.ts";
import type { Section, Suite } from "../suite.ts";

const PATH = "messages";
const SHOWN_WITHIN_SECONDS = 15;
const MESSAGES_WHILE_POLLING = 4;

export async function messages(suite: Suite): Promise<Section> {
  const { ann, ben, eve } = await suite.callers();
  const { friend, asked, blocked } = suite.ids("friend asked blocked");
  const { talk, withBlocked, onlyBlocked, silent, secondTalk } = suite.ids(
    "talk withBlocked onlyBlocked silent secondTalk",
  );
  const accountId = suite.accountId();
  const shop = suite.id("store");
  const sentAt = (minutes: number) => ({ sent_at: `2026-01-05 09:${String(minutes).padStart(2, "0")}:00` });

  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);
  const groupOf = (answer: Answer, id = "") => itemsOf(answer).find((item) => item.group_id === id);
  const membersOf = (answer: Answer, id: string) => (groupOf(answer, id)?.group_members ?? []) as Item[];
  const untilShown = (groupId: string, text: string, query: Record<string, string> = {}) =>
    suite.until(
      () => list(query),
      (answer) => itemsOrNone(answer).some((item) => item.group_id === groupId && item.last_message === text),
      SHOWN_WITHIN_SECONDS,
    );

  return {
    section: "interface, 4.2",
    lines: [
      account(accountId),
      store(shop, accountId),
      customer(ann.id, "Ann Conform"),
      customer(ben.id, "Ben Conform"),
      customer(friend, "Fay Friend", { avatar: "https://images.example/fay.png", customer_description: "I run." }),
      customer(asked, "Abe Asked"),
      customer(blocked, "Bob Blocked"),
      friendship(friend, ann.id, 1),
      friendship(ann.id, asked, 0),
      block(ann.id, blocked),
      entry(suite.id("entry"), friend, shop, "12.50"),
      entry(suite.id("entry"), friend, shop, "-0.20"),
      group(talk, [friend, ann.id, asked], { group_image: "https://images.example/talk.png" }),
      group(withBlocked, [ann.id, blocked, asked]),
      group(onlyBlocked, [ann.id, blocked]),
      group(silent, [ann.id, friend]),
      group(secondTalk, [ann.id, ben.id]),
      message(suite.id("message"), talk, ann.id, "First", sentAt(1)),
      message(suite.id("message"), talk, friend, "Second", sentAt(2)),
      message(suite.id("message"), withBlocked, blocked, "Third", sentAt(3)),
      message(suite.id("message"), onlyBlocked, ann.id, "Fourth", sentAt(3)),
      messageState(talk, ann.id, { read_at: "2026-01-05 09:02:00" }),
      messageState(withBlocked, ann.id, { read_at: "2026-01-05 09:02:59", notifications_disabled: 1 }),
    ],
    rulesWithFeeding: {
      "a group | `group_id`, `group_image` (or null), `group_name`, `last_message`, `last_message_time`, `initial_customer_id`, `initial_customer_name`, `initial_customer_avatar`, `last_customer` (the sender's id), `last_customer_name`, `last_customer_avatar`, `read_status`, `notifications_disabled`, `group_members`":
        async (rule) => {
          const actual = groupOf(await list(), talk);
          expectExactFields(actual, fieldsListedIn(rule));
          const [name, avatar] = ["Fay Friend", "https://images.example/fay.png"];
          expectFields(actual, {
            ...{ group_image: "https://images.example/talk.png" },
            ...{ last_message: "Second", last_message_time: "2026-01-05 09:02:00" },
            ...{ initial_customer_id: friend, initial_customer_name: name, initial_customer_avatar: avatar },
            ...{ last_customer: friend, last_customer_name: name, last_customer_avatar: avatar },
          });
        },
      "The list holds the caller's groups that show at least one message. If there are none, the answer is `NO_ITEMS`.":
        async () => {
          expectSame(idsOf(await list(), "group_id").includes(silent), false);
          expectFailure(await list({}, eve), 200, "NO_ITEMS");
        },
      "Order: the newest message first, then the group's id.": async () => {
        expectList(await list(), [withBlocked, onlyBlocked, talk], "group_id");
      },
      "a member | `id`, `name`, `avatar`, `customer_description`, `friend_status`, `total_balance`, `is_blocked`":
        async (rule) => {
          const [first] = membersOf(await list(), talk);
          expectExactFields(first, fieldsListedIn(rule));
        },
      "`group_members` are the other members, in the order of the group's list.": async () => {
        const members = membersOf(await list(), talk);
        expectList(members, [friend, asked]);
        expectFields(members[0], { customer_description: "I run.", name: "Fay Friend" });
      },
      '`group_name` is their names ("First Last") joined by ", ". Members whom the caller has blocked are left out and counted: " (2 blocked)". If no name is left, it is "(2 blocked)", or `""` if there is no other member.':
        async () => {
          const answer = await list();
          const names = [talk, withBlocked, onlyBlocked].map((id) => groupOf(answer, id)?.group_name);
          expectSame(names, ["Fay Friend, Abe Asked", "Abe Asked (1 blocked)", "(1 blocked)"]);
        },
      "`read_status` is 1 if the caller has read up to the last message, or sent it.": async () => {
        const answer = await list();
        const actual = [talk, withBlocked, onlyBlocked].map((id) => groupOf(answer, id)?.read_status);
        expectSame(actual, [1, 0, 1]);
        expectSame(groupOf(answer, withBlocked)?.notifications_disabled, 1);
      },
      "`friend_status` is 1 for friends, 0 for a pending request, -1 for neither. `total_balance` is the member's balance over all stores.":
        async () => {
          const answer = await list();
          const [first, second] = membersOf(answer, talk);
          expectFields(first, { friend_status: 1, total_balance: 12.3, is_blocked: false });
          expectFields(second, { friend_status: 0, total_balance: 0, is_blocked: false });
          const [blockedMember] = membersOf(answer, onlyBlocked);
          expectFields(blockedMember, { friend_status: -1, total_balance: 0, is_blocked: true });
        },
      "`check_time` | time | no | only groups whose `last_message_time` is later": async () => {
        expectInvalid(await list({ check_time: "2026-02-30 00:00:00" }), "check_time");
        expectInvalid(await list({ check_time: "yesterday" }), "check_time");
        expectList(await list({ check_time: "2026-01-05 09:02:00" }), [withBlocked, onlyBlocked], "group_id");
        expectFailure(await list({ check_time: "2026-01-05 09:03:00" }), 200, "NO_ITEMS");
      },
      "`check_time` may be in any form of a time that the feed takes.": async () => {
        for (const check_time of ["2026-01-05T09:02:00Z", "2026-01-05T11:02:00.5+02:00"])
          expectList(await list({ check_time }), [withBlocked, onlyBlocked], "group_id");
        expectList(await list({ check_time: "2026-01-05" }), [withBlocked, onlyBlocked, talk], "group_id");
      },
      "Follow `Link` to the next page: then a group that gets a message meanwhile neither comes twice nor gets lost":
        async () => {
          // The oldest group has the smallest id. So a service that pages by the id alone fails here.
          const talks = [suite.id("oldest"), suite.id("middle"), suite.id("newest")];
          const [oldest, middle, newest] = talks;
          await suite.feed(
            ...talks.map((id) => group(id, [friend, ben.id])),
            ...talks.map((id, index) => message(suite.id("message"), id, friend, "x", sentAt(30 + index))),
          );
          const page = await list({ per_page: "1" }, ben);
          await suite.feed(message(suite.id("message"), oldest, friend, "meanwhile"));
          const isShown = (answer: Answer) => groupOf(answer, oldest)?.last_message === "meanwhile";
          await suite.until(() => list({}, ben), isShown, SHOWN_WITHIN_SECONDS);
          const laterPages = await suite.pages(linkOf(page) ?? "", ben.token);
          const ids = [page, ...laterPages].flatMap((answer) => idsOf(answer, "group_id"));
          expectSame(
            ids.filter((id) => talks.includes(String(id))),
            [newest, middle],
          );
          const check_time = String(itemsOf(page)[0]?.last_message_time);
          expectThat(isShown(await list({ check_time }, ben)), "the next poll lacks the group");
        },
      "Of several messages in one second, the one stored last is the last.": async () => {
        await suite.feed(...["one", "two"].map((text) => message(suite.id("message"), secondTalk, ben.id, text)));
        await untilShown(secondTalk, "two");
      },
      "A fed `sent_at` that is more than an hour old is used as the message's time. Such a message is not news.":
        async () => {
          await suite.feed(message(suite.id("message"), talk, friend, "Late", { sent_at: "2025-06-01 08:00:00" }));
          expectSame(groupOf(await list(), talk)?.last_message, "Second");
        },
      "Any later `sent_at` is replaced by the stamp.": async () => {
        const tomorrow = time(86_400);
        await suite.feed(message(suite.id("message"), secondTalk, ben.id, "three", { sent_at: tomorrow }));
        const actual = groupOf(await untilShown(secondTalk, "three"), secondTalk)?.last_message_time;
        expectThat(String(actual) < tomorrow, `a message sent tomorrow shows ${actual}`);
      },
      "You then get every group that has a new message, with its newest message.": async () => {
        const newestByGroup = new Map<unknown, unknown>();
        let checkTime = "2026-01-05 09:03:00";
        const poll = async () => {
          const answer = await list({ check_time: checkTime, per_page: "100" });
          for (const item of itemsOrNone(answer)) {
            newestByGroup.set(item.group_id, item.last_message);
            if (String(item.last_message_time) > checkTime) checkTime = String(item.last_message_time);
          }
          return answer;
        };
        const messageIds = Array.from({ length: MESSAGES_WHILE_POLLING }, () => suite.id("message"));
        for (const [index, id] of messageIds.entries()) {
          await suite.feed(message(id, index % 2 === 0 ? talk : secondTalk, index % 2 === 0 ? friend : ben.id, id));
          for (let polls = 0; polls < 4; polls += 1) await poll();
        }
        const isShown = () =>
          newestByGroup.get(talk) === messageIds.at(-2) && newestByGroup.get(secondTalk) === messageIds.at(-1);
        await suite.until(poll, isShown, SHOWN_WITHIN_SECONDS);
      },
    },
  };
}

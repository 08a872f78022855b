import { linkOf } from "../../lib/call.ts";
import {
  expectExactFields,
  expectFailure,
  expectFields,
  expectInvalid,
  expectList,
  expectSame,
  namesIn,
} from "../expect.ts";
import { type Answer, type Item, idsOf, itemsOf, itemsOrNone } from "../http.ts";
import { type LineWithId, many, time } from "../lines.ts";
import { section } from "../suite.ts";

const PATH = "messages";
const SHOWN_WITHIN_SECONDS = 15;
const MESSAGES_WHILE_POLLING = 4;

const GROUP_FIELDS = namesIn(`
  group_id group_image group_name last_message last_message_time initial_customer_id initial_customer_name
  initial_customer_avatar last_customer last_customer_name last_customer_avatar read_status notifications_disabled
  group_members
`);
const MEMBER_FIELDS = namesIn(`
  id name avatar customer_description friend_status total_balance is_blocked
`);

export const messages = section("interface, 4.2", ({ suite, ann, ben, eve, seed, make, it }) => {
  const sentAt = (minutes: number) => ({ sent_at: `2026-01-05 09:${String(minutes).padStart(2, "0")}:00` });
  seed.caller(ann, "Ann Conform");
  seed.caller(ben, "Ben Conform");
  const avatar = "https://images.example/fay.png";
  const friend = seed.customer("Fay Friend", { avatar, customer_description: "I run." });
  const [askedCustomer, blockedCustomer] = [seed.customer("Abe Asked"), seed.customer("Bob Blocked")];
  seed.friendship(friend, ann, 1);
  seed.friendship(ann, askedCustomer, 0);
  seed.block(ann, blockedCustomer);
  const shop = seed.store(seed.account());
  seed.entry(friend, shop, "12.50");
  seed.entry(friend, shop, "-0.20");
  const talk = seed.group([friend, ann, askedCustomer], { group_image: "https://images.example/talk.png" });
  const groupWithBlocked = seed.group([ann, blockedCustomer, askedCustomer]);
  const groupOfBlocked = seed.group([ann, blockedCustomer]);
  const silentGroup = seed.group([ann, friend]);
  const secondTalk = seed.group([ann, ben]);
  seed.message(talk, ann, "First", sentAt(1));
  seed.message(talk, friend, "Second", sentAt(2));
  seed.message(groupWithBlocked, blockedCustomer, "Third", sentAt(3));
  seed.message(groupOfBlocked, ann, "Fourth", sentAt(3));
  const talkOfTwo = seed.group([ann, friend]);
  seed.message(talkOfTwo, friend, "Zeroth", { sent_at: "2026-01-04 09:00:00" });
  seed.messageState(talk, ann, { read_at: "2026-01-05 09:02:00" });
  seed.messageState(groupWithBlocked, ann, { read_at: "2026-01-05 09:02:59", notifications_disabled: 1 });

  const list = (query: Record<string, string> = {}, caller = ann) => suite.get(caller, PATH, query);
  const groupOf = (answer: Answer, { id }: LineWithId) => itemsOf(answer).find((item) => item.group_id === id);
  const membersOf = (answer: Answer, group: LineWithId) => (groupOf(answer, group)?.group_members ?? []) as Item[];
  /** Polls until the last message of a group has this text. Resolves with the group as the caller sees it. */
  const untilShown = async (group: LineWithId, text: string, caller = ann) => {
    const isShown = (answer: Answer) =>
      itemsOrNone(answer).some((item) => item.group_id === group.id && item.last_message === text);
    return groupOf(await suite.until(() => list({}, caller), isShown, SHOWN_WITHIN_SECONDS), group);
  };

  it("A group has exactly these fields.", async () => {
    const actual = groupOf(await list(), talk);
    expectExactFields(actual, GROUP_FIELDS);
    const name = "Fay Friend";
    expectFields(actual, {
      group_image: "https://images.example/talk.png",
      last_message: "Second",
      last_message_time: "2026-01-05 09:02:00",
      initial_customer_id: friend,
      initial_customer_name: name,
      initial_customer_avatar: avatar,
      last_customer: friend,
      last_customer_name: name,
      last_customer_avatar: avatar,
    });
  });
  it("The list holds the caller's groups that show at least one message. If there are none, the answer is `NO_ITEMS`.", async () => {
    expectSame(idsOf(await list(), "group_id").includes(silentGroup.id), false);
    expectFailure(await list({}, eve), 200, "NO_ITEMS");
  });
  it("Order: the newest message first, then the group's id.", async () =>
    expectList(await list(), [groupWithBlocked, groupOfBlocked, talk, talkOfTwo], "group_id"));
  it("A member of a group has exactly these fields.", async () => {
    const [first] = membersOf(await list(), talk);
    expectExactFields(first, MEMBER_FIELDS);
  });
  it("`group_members` are the other members, in the order of the group's list.", async () => {
    const members = membersOf(await list(), talk);
    expectList(members, [friend, askedCustomer]);
    expectFields(members[0], { customer_description: "I run.", name: "Fay Friend" });
  });
  it('`group_name` is their names ("First Last") joined by ", ". Members whom the caller has blocked are left out and counted: " (2 blocked)". If no name is left, it is "(2 blocked)", or `""` if there is no other member.', async () =>
    expectList(
      await list(),
      ["Abe Asked (1 blocked)", "(1 blocked)", "Fay Friend, Abe Asked", "Fay Friend"],
      "group_name",
    ));
  it("`read_status` is 1 if the caller has read up to the last message, or sent it.", async () => {
    const answer = await list();
    const statuses = [groupOfBlocked, talk, talkOfTwo].map((group) => groupOf(answer, group)?.read_status);
    expectSame(statuses, [1, 1, 0]);
    expectList(answer, [1, 0, 0, 0], "notifications_disabled");
  });
  it("If the caller has blocked the last sender, text, name and avatar are empty, and it is read.", async () => {
    const hidden = { last_message: "", last_customer_name: "", last_customer_avatar: "", read_status: 1 };
    expectFields(groupOf(await list(), groupWithBlocked), hidden);
  });
  it("`friend_status` is 1 for friends, 0 for a pending request, -1 for neither. `total_balance` is the member's balance over all stores.", async () => {
    const answer = await list();
    const [first, second] = membersOf(answer, talk);
    expectFields(first, { friend_status: 1, total_balance: 12.3, is_blocked: false });
    expectFields(second, { friend_status: 0, total_balance: 0, is_blocked: false });
    const [blockedMember] = membersOf(answer, groupOfBlocked);
    expectFields(blockedMember, { friend_status: -1, total_balance: 0, is_blocked: true });
  });
  it("`check_time` leaves the groups whose `last_message_time` is later.", async () => {
    expectInvalid(await list({ check_time: "yesterday" }), "check_time");
    expectList(await list({ check_time: "2026-01-05 09:02:00" }), [groupWithBlocked, groupOfBlocked], "group_id");
    expectFailure(await list({ check_time: "2026-01-05 09:03:00" }), 200, "NO_ITEMS");
  });
  it("`check_time` may be in any form of a time that the feed takes.", async () => {
    for (const check_time of ["2026-01-05T09:02:00Z", "2026-01-05T11:02:00.5+02:00"])
      expectList(await list({ check_time }), [groupWithBlocked, groupOfBlocked], "group_id");
    expectList(await list({ check_time: "2026-01-05" }), [groupWithBlocked, groupOfBlocked, talk], "group_id");
  });
  it("A group that a message moves while you follow `Link` is in the next poll from the greatest time that you have seen.", async () => {
    // The oldest group has the smallest id. So a service that pages by the id alone fails here.
    const [oldest, middle, newest] = [make.group([friend, ben]), make.group([friend, ben]), make.group([friend, ben])];
    const groups = [oldest, middle, newest];
    const sentMessages = groups.map((group, index) => make.message(group, friend, "x", sentAt(30 + index)));
    await suite.feed(...groups, ...sentMessages);
    const page = await list({ per_page: "1" }, ben);
    await suite.feed(make.message(oldest, friend, "meanwhile"));
    await untilShown(oldest, "meanwhile", ben);
    const laterPages = await suite.pages(linkOf(page) ?? "", ben.token);
    const ids = [page, ...laterPages].flatMap((answer) => idsOf(answer, "group_id"));
    const ownIds = ids.filter((id) => groups.some((group) => group.id === id));
    expectSame(ownIds, [newest, middle]);
    const check_time = String(itemsOf(page)[0]?.last_message_time);
    // A list shows a message before the inbox is told of it. So the poll may take as long as any other delivery.
    const poll = () => list({ check_time }, ben);
    const isDelivered = (answer: Answer) => idsOf(answer, "group_id").includes(oldest?.id);
    const next = await suite.until(poll, isDelivered, SHOWN_WITHIN_SECONDS);
    expectFields(groupOf(next, oldest), { last_message: "meanwhile" }, "the next poll");
  });
  it("Of several messages in one second, the one stored last is the last.", async () => {
    await suite.feed(...["one", "two"].map((text) => make.message(secondTalk, ben, text)));
    await untilShown(secondTalk, "two");
  });
  it("A fed `sent_at` that is more than an hour old is used as the message's time.", async () => {
    await suite.feed(make.message(talk, friend, "Late", { sent_at: "2025-06-01 08:00:00" }));
    expectSame(groupOf(await list(), talk)?.last_message, "Second");
  });
  it("Any later `sent_at` is replaced by the stamp.", async () => {
    const tomorrow = time(86_400);
    await suite.feed(make.message(secondTalk, ben, "three", { sent_at: tomorrow }));
    const actual = (await untilShown(secondTalk, "three"))?.last_message_time;
    expectSame(String(actual) < tomorrow, true, `whether ${actual} is before tomorrow`);
  });
  it("You then get every group that has a new message, with its newest message.", async () => {
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
    const newMessages = many(MESSAGES_WHILE_POLLING, (index) =>
      index % 2 === 0 ? make.message(talk, friend, suite.word()) : make.message(secondTalk, ben, suite.word()),
    );
    for (const message of newMessages) {
      await suite.feed(message);
      for (let polls = 0; polls < 4; polls += 1) await poll();
    }
    const isShown = () => newMessages.slice(-2).every(({ group_id, body }) => newestByGroup.get(group_id) === body);
    await suite.until(poll, isShown, SHOWN_WITHIN_SECONDS);
  });
});

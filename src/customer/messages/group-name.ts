import type { GroupMember } from "./schema.ts";

/**
 * The names of a group's other members. Those whom the caller has blocked are counted (docs/contract/interface.md,
 * 4.2).
 */
export function groupName(members: readonly Pick<GroupMember, "name" | "is_blocked">[]): string {
  const shown = members.filter((member) => !member.is_blocked);
  const blocked = members.length - shown.length;
  const names = shown.map(({ name }) => name).join(", ");
  const count = blocked > 0 ? `(${blocked} blocked)` : "";
  return [names, count].filter((part) => part !== "").join(" ");
}

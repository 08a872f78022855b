import type { Kind } from "../db/kind.ts";
import { account } from "./account.ts";
import { balanceEntry } from "./balance-entry.ts";
import { block } from "./block.ts";
import { campaign } from "./campaign.ts";
import { coupon } from "./coupon.ts";
import { customer } from "./customer.ts";
import { customerCoupon } from "./customer-coupon.ts";
import { eipCampaign } from "./eip-campaign.ts";
import { employee } from "./employee.ts";
import { friendship } from "./friendship.ts";
import { membership } from "./membership.ts";
import { message } from "./message.ts";
import { messageGroup } from "./message-group.ts";
import { messageState } from "./message-state.ts";
import { play } from "./play.ts";
import { program } from "./program.ts";
import { redemption } from "./redemption.ts";
import { registration } from "./registration.ts";
import { store } from "./store.ts";
import { tokenEarning } from "./token-earning.ts";

/** Every kind of record that the feed takes: each after the kinds that it refers to, events last. */
export const KINDS: readonly Kind[] = [
  account,
  store,
  campaign,
  customer,
  membership,
  registration,
  friendship,
  block,
  coupon,
  customerCoupon,
  employee,
  eipCampaign,
  messageGroup,
  messageState,
  balanceEntry,
  tokenEarning,
  redemption,
  play,
  message,
];

/** The kinds of an export, which a restore takes (docs/contract/restore.md). Some differ from those of a feed. */
export const EXPORTED_KINDS: readonly Kind[] = KINDS.map(toRestored);

export const RESTORED_KINDS: readonly Kind[] = [...EXPORTED_KINDS, program];

function toRestored(kind: Kind): Kind {
  const { columns, write, restored } = kind;
  if (restored === undefined) return kind;
  return { ...kind, ...restored, columns: { ...columns, ...restored.columns }, write: { ...write, ...restored.write } };
}

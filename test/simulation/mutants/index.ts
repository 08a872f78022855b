import { CLIENT_MUTANTS } from "./client.ts";
import { DATABASE_MUTANTS } from "./database.ts";
import { FEED_MUTANTS } from "./feed.ts";
import { INBOXES_MUTANTS } from "./inboxes.ts";
import { MESSAGES_MUTANTS } from "./messages.ts";
import type { Mutant } from "./mutant.ts";
import { OWN_STATE_MUTANTS } from "./own-state.ts";
import { RETENTION_MUTANTS } from "./retention.ts";
import { TILLS_MUTANTS } from "./tills.ts";

export const MUTANTS: readonly Mutant[] = [
  ...FEED_MUTANTS,
  ...RETENTION_MUTANTS,
  ...INBOXES_MUTANTS,
  ...MESSAGES_MUTANTS,
  ...DATABASE_MUTANTS,
  ...CLIENT_MUTANTS,
  ...TILLS_MUTANTS,
  ...OWN_STATE_MUTANTS,
];

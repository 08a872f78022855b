import type { section } from "../suite.ts";
import { around } from "./around.ts";
import { conventions } from "./conventions.ts";
import { coupons, myCoupons } from "./coupons.ts";
import { exportLines, exportOrder, exportPages, restore, restoreLines } from "./export.ts";
import { failures } from "./failures.ts";
import { feedDeletes } from "./feed-deletes.ts";
import { feedRecords, feedValues } from "./feed-fields.ts";
import { feedRules } from "./feed-rules.ts";
import { leaderboard } from "./leaderboard.ts";
import { livePolls, liveSocket } from "./live.ts";
import { liveChanges, liveVersion } from "./live-changes.ts";
import { longAnswers, longSearch } from "./long-answers.ts";
import { entries, me } from "./me.ts";
import { messages } from "./messages.ts";
import { nearby } from "./nearby.ts";
import { objects } from "./objects.ts";
import { ownRequests, ownState } from "./own-state.ts";
import { requests } from "./requests.ts";
import { search } from "./search.ts";
import { team } from "./team.ts";
import { tillActs, tillExplanations, tillIds } from "./till-acts.ts";
import { tillCustomers } from "./till-customers.ts";
import { tokens } from "./tokens.ts";

export type MakeSection = ReturnType<typeof section>;

// The sections are in the order of the contract. test/conform runs each of the four lists in a worker of its own.
export const ENDPOINTS: readonly MakeSection[] = [
  ...[conventions, longAnswers, tokens, failures, nearby, messages, team, coupons, myCoupons],
  ...[search, longSearch, me, entries, ownState, ownRequests, objects, around],
];
export const BOARDS: readonly MakeSection[] = [leaderboard];
export const FEED: readonly MakeSection[] = [
  ...[feedRules, feedDeletes, feedValues, feedRecords],
  ...[tillIds, tillCustomers, tillActs, tillExplanations],
  ...[exportPages, exportOrder, exportLines, restore, restoreLines, requests],
];
export const LIVE: readonly MakeSection[] = [livePolls, liveSocket, liveChanges, liveVersion];

export const SECTIONS: readonly MakeSection[] = [...ENDPOINTS, ...BOARDS, ...FEED, ...LIVE];

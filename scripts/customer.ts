import { readFileSync } from "node:fs";
import { Argument } from "commander";
import { REQUEST_TYPES } from "../src/records/customer-request.ts";
import { askDatabase, type DatabaseLocation, literal } from "./lib/database.ts";
import { dropTexts, dropTextsOfChanges, mergeSearchIndex, TEXT_KINDS } from "./lib/drop-texts.ts";
import { exportPages } from "./lib/export-client.ts";
import { ExportProgress } from "./lib/export-progress.ts";
import { expectSameProgram } from "./lib/handshake.ts";
import {
  type DatabaseOptions,
  databaseOf,
  newCommand,
  outputFile,
  recordId,
  type ServiceAccess,
  withDatabase,
  withService,
} from "./lib/options.ts";
import { parse, patientFetch, refusalOf } from "./lib/patient-client.ts";
import { CommandError, stoppable } from "./lib/project.ts";
import { table } from "./lib/table.ts";
import { tokenFor } from "./lib/tokens.ts";
import { writeWhole } from "./lib/whole-file.ts";

type Options = DatabaseOptions & ServiceAccess;
type RequestType = (typeof REQUEST_TYPES)[number];

/** The number of events by their kind. */
type EventCounts = Record<string, number>;

/**
 * What is stored after an erasure. It does not say what this run did, so that a repeated erasure prints the same
 * receipt.
 */
interface Receipt {
  customer: string;
  /** When the customer's record was erased, in UTC, by the clock of the database. */
  erased_at: string;
  /** Events of the customer whose text is empty. */
  emptied: EventCounts;
  /** What stays under the bare id, and why. */
  stays: string;
}

const WHAT_STAYS =
  "Amounts, times and ids of events stay, so that the balances and boards of others stay right. " +
  "Ids, counts and times of issued coupons stay, because their uses count. " +
  "The journal names the id as long as it has lines of the customer and of tills.";
const FEED_MS = 60_000;

export const program = newCommand("npm run customer")
  .description("Show what is stored about a customer, erase it, or see what customers have asked for.")
  .addHelpText("after", "\nMore: docs/incidents.md");

withService(withDatabase(program.command("export")), "an export token")
  .description(
    "write every line about a customer; with --remote or --persist-to, also close the request for one's data",
  )
  .argument("<id>", "the customer's id", recordId)
  .argument("<file>", "the file to write; .gz at its end compresses it", outputFile)
  .action(exportCustomer);

withService(withDatabase(program.command("erase")), "a feed token for all accounts")
  .description("erase a customer in the database and in the inbox, and print a receipt")
  .argument("[id]", "the customer's id", recordId)
  .option("--again <receipts>", "after a restore: erase everybody in this file of receipts again")
  .action(erase);

withDatabase(program.command("requests"))
  .description("list what customers have asked for and is not done yet, the oldest first")
  .action(listOpenRequests);

withDatabase(program.command("close"))
  .description("close what a customer has asked for")
  .argument("<id>", "the customer's id", recordId)
  .addArgument(new Argument("<type>", "what was asked for").choices(REQUEST_TYPES))
  .action(closeRequest);

async function exportCustomer(customer: string, file: string, options: Options): Promise<void> {
  const closes = options.remote === true || options.persistTo !== undefined;
  if (closes) await expectSameProgram(options.url, databaseOf(options));
  const source = { url: options.url, token: await tokenFor(options, "export"), customer };
  const progress = new ExportProgress();
  let isStored = false;
  async function* pages(stop: AbortSignal) {
    for await (const page of exportPages(source, stop)) {
      isStored ||= page.bytes.includes('{"record":"customer",');
      progress.add(page);
      yield page.bytes;
    }
    if (!isStored) throw neverStored(customer);
  }
  await stoppable((stop) => writeWhole(file, pages(stop)));
  progress.report();
  if (closes && (await close(customer, "data", options))) console.error("The customer's request is closed.");
}

async function listOpenRequests(options: DatabaseOptions): Promise<void> {
  const query = `SELECT id, type, requested_at FROM customer_requests
    JOIN customers ON key = customer_key ORDER BY requested_at, id, type`;
  const [rows = []] = await askDatabase<Record<"id" | "type" | "requested_at", string>>([query], databaseOf(options));
  if (rows.length === 0) return console.log("No request is open.");
  const cells = rows.map(({ id, type, requested_at }) => [id, type, requested_at]);
  console.log(table(["customer", "asks for", "since"], cells));
}

async function closeRequest(customer: string, type: RequestType, options: DatabaseOptions): Promise<void> {
  if (!(await close(customer, type, options)))
    throw new CommandError(`${customer} has no open request of the type ${type}.`);
  console.log("Closed.");
}

/** Closes an open request. Resolves with whether there was one. */
async function close(customer: string, type: RequestType, options: DatabaseOptions): Promise<boolean> {
  const key = `(SELECT key FROM customers WHERE id = ${literal(customer)})`;
  const query = `DELETE FROM customer_requests WHERE customer_key = ${key} AND type = '${type}' RETURNING type`;
  const [closed = []] = await askDatabase([query], databaseOf(options));
  return closed.length > 0;
}

async function erase(id: string | undefined, { again, ...options }: Options & { again?: string }): Promise<void> {
  if ((id === undefined) === (again === undefined))
    throw new CommandError("Name either a customer or --again RECEIPTS.");
  await expectSameProgram(options.url, databaseOf(options));
  for (const customer of again === undefined ? [id ?? ""] : readReceipts(again)) {
    const receipt = await eraseCustomer(customer, options);
    if (receipt !== null) console.log(JSON.stringify(receipt));
    else if (again === undefined) throw neverStored(customer);
    else console.error(`${customer} is not in this database: nothing to erase.`);
  }
}

function readReceipts(file: string): string[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line, index) => {
    const receipt = parse(line) as Partial<Receipt> | null;
    if (receipt?.customer === undefined) throw new CommandError(`Line ${index + 1} of ${file} is no receipt.`);
    return receipt.customer;
  });
}

/** Erases what is left of a customer. Resolves with null if they were never stored. */
async function eraseCustomer(customer: string, options: Options): Promise<Receipt | null> {
  const database = databaseOf(options);
  if ((await erasedAt(customer, database)) === undefined) return null;
  await feedErasure(customer, options);
  const readBack = await erasedAt(customer, database);
  if (!readBack)
    throw new CommandError(`${customer} is not erased in the database, although the service took the line.`);
  const emptied: EventCounts = {};
  for (const kind of TEXT_KINDS) emptied[kind] = await dropTexts(kind, customer, database);
  await dropTextsOfChanges(customer, database);
  await mergeSearchIndex(database);
  return {
    customer,
    erased_at: readBack,
    emptied,
    stays: WHAT_STAYS,
  };
}

/** When a customer was last erased: null for never, undefined if no customer has this id. */
async function erasedAt(customer: string, database: DatabaseLocation): Promise<string | null | undefined> {
  const query = `SELECT erased_at FROM customers WHERE id = ${literal(customer)}`;
  const [[row] = []] = await askDatabase<{ erased_at: string | null }>([query], database);
  return row?.erased_at;
}

/** Feeds the line that erases a customer. The service notifies their inbox, which deletes what it stores. */
async function feedErasure(customer: string, options: Options): Promise<void> {
  const token = await tokenFor(options, "feed");
  const body = JSON.stringify({ record: "customer", id: customer, deleted: true });
  const request = { method: "POST", headers: { Authorization: `Bearer ${token}` }, body };
  const answer = await patientFetch(FEED_MS)(new URL("/api/v1/feed", options.url), request);
  if (answer.status !== 200) throw new CommandError(refusalOf(answer));
}

function neverStored(customer: string): CommandError {
  return new CommandError(`No customer with the id ${customer} was ever stored.`);
}

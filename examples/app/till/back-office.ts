import type { Failure } from "loyalty-edge/client";
import { h } from "../lib/dom.ts";
import { currentSession, type DemoCustomer, type Named, type Session } from "../lib/session.ts";

type Line = { record: string } & Record<string, unknown>;
type Values = Record<string, string>;

const ANSWER_WITHIN_MS = 30_000;
// With these statuses, the database may have stored the lines.
const UNKNOWN_STATUSES = [500, 502, 503, 504];
const UNKNOWN = "Unknown: no answer came. Send it again as it is: it counts once.";

/** What becomes of some lines after they are committed. */
const COMMITTED: Record<string, string> = { play: "Committed. The board shows it within 30 seconds." };

const newId = () => `app-${crypto.randomUUID()}`;

interface BackOffice {
  session: Session;
  customer: DemoCustomer;
  send: typeof fetch;
  /** Called after lines were stored. */
  onSent: (record: string) => void;
  /** Aborted when another customer is chosen. */
  signal: AbortSignal;
}

/** The feed lines of each form in index.html, by its `data-record`. `id` is a new, unique id. */
const LINES: Record<string, (values: Values, id: string, customer: DemoCustomer) => Line[]> = {
  customer_coupon: (values, id, { id: customer_id }) => [{ record: "customer_coupon", id, customer_id, ...values }],
  // The amount is sent as typed, even if it is invalid.
  mistake: (values, id) => [{ record: "balance_entry", id, ...values }],
  play: ({ hits, ...values }, id) => [{ record: "play", id, ...values, hits: Number(hits) }],
  message: ({ from = "", body }, id, customer) => {
    const member_ids = [customer.id, from].sort();
    const group_id = `app-${member_ids.join("-")}`;
    return [
      { record: "message_group", id: group_id, initial_customer_id: member_ids[0], member_ids },
      { record: "message", id, group_id, customer_id: from, body },
    ];
  },
};

/** Connects a form of the back office to a customer: fills its choices, shows its feed lines, and sends them. */
export function connectForm(form: HTMLFormElement, { session, customer, send, onSent, signal }: BackOffice): void {
  const record = form.dataset.record ?? "";
  const [code, button, outcome] = ["code", "button", "[role=status]"].map((part) => form.querySelector(part));
  let lines: Line[] = [];
  let id = newId();

  const preview = () => {
    const values = Object.fromEntries(new FormData(form).entries()) as Values;
    lines = LINES[record]?.(values, id, customer) ?? [];
    outcome?.replaceChildren();
    code?.replaceChildren(toNdjson(lines));
  };
  const submit = async () => {
    button?.toggleAttribute("disabled", true);
    const answer = await feed(send, lines);
    button?.toggleAttribute("disabled", false);
    // Another customer was chosen meanwhile, so the form shows that customer's lines.
    if (signal.aborted) return;
    if (answer?.status === true) {
      // Lines with the same id are stored once, so the next submission needs a new id.
      id = newId();
      preview();
      onSent(record);
    }
    const otherErrors = markFaults(form, answer?.status === false ? answer : null);
    const text = answer?.status === true ? (COMMITTED[record] ?? "Committed.") : `Refused. ${otherErrors}`;
    outcome?.replaceChildren(answer === null ? UNKNOWN : text);
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void submit();
  };

  for (const select of form.querySelectorAll("select")) {
    const options = choices(session, customer)[select.dataset.among ?? ""] ?? [];
    select.replaceChildren(...options.map(({ id, name }) => h("option", { value: id }, name)));
  }
  preview();
  form.addEventListener("input", preview, { signal });
  form.addEventListener("submit", onSubmit, { signal });
}

/** The choices of the forms, by `data-among`: records of the customer's first chain. */
function choices({ chains, customers }: Session, { id, stores }: DemoCustomer): Record<string, readonly Named[]> {
  const chain = chains.find((chain) => chain.id === stores[0]?.chainId) ?? chains[0];
  const { campaigns, coupons, contests, employees } = chain;
  const atChain = stores.filter(({ chainId }) => chainId === chain.id);
  return {
    campaigns,
    coupons,
    contests,
    employees,
    stores: atChain,
    others: customers.filter((other) => other.id !== id),
  };
}

/** Shows the error of each field beside its input. Returns the errors of fields that have no input. */
function markFaults(form: HTMLFormElement, refusal: Failure | null): string {
  for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  for (const fault of form.querySelectorAll(".fault")) fault.remove();
  const otherErrors = Object.entries(refusal?.messages ?? {}).filter(([field, texts]) => {
    // A field has a prefix, such as `line 1.amount`.
    const input = form.elements.namedItem(field.replace(/^line \d+\./, ""));
    if (!(input instanceof HTMLElement)) return true;
    input.ariaInvalid = "true";
    input.after(h("small", { class: "fault" }, texts.join(", ")));
    return false;
  });
  return [refusal?.message ?? "", ...otherErrors.map(([field, texts]) => `${field} ${texts.join(", ")}`)].join("; ");
}

/** Sends lines to the feed. Resolves with null if there was no answer: the lines may be stored or not. */
async function feed(send: typeof fetch, lines: readonly Line[]): Promise<{ status: true } | Failure | null> {
  try {
    const { feedToken } = await currentSession();
    const headers = { Authorization: `Bearer ${feedToken}`, "Content-Type": "application/x-ndjson" };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await send("/api/v1/feed", { method: "POST", headers, body: toNdjson(lines), signal });
    const body = (await answer.json()) as { status: true } | Failure;
    return body.status || !UNKNOWN_STATUSES.includes(answer.status) ? body : null;
  } catch {
    return null;
  }
}

function toNdjson(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

import { h, points } from "../lib/dom.ts";
import { whileDisabled } from "../lib/focus.ts";
import { outcomeOf } from "./outcome.ts";
import type { Visit } from "./till.ts";

/** A form that books points. A negative number spends them, and is refused if the balance does not suffice. */
export function createSale({ till, holder, storeId, chain, signal }: Visit, onBooked: (balance: number) => void) {
  const amount = h("input", {
    value: "5.00",
    pattern: "-?\\d{1,9}(\\.\\d{1,2})?",
    required: true,
    autocomplete: "off",
  });
  const campaigns = chain.campaigns.map(({ id, name }) => h("option", { value: id }, name));
  const campaign = h("select", {}, h("option", { value: "" }, "No campaign"), ...campaigns);
  const reason = h("input", { value: "Two coffees", maxlength: 200, autocomplete: "off" });
  const status = h("p", { role: "status" });
  const button = h("button", { class: "primary", type: "submit" }, "Book");

  async function book(): Promise<void> {
    // The client repeats a booking whose answer is lost, under one id, so it counts once.
    const booked = amount.value;
    const call = () =>
      till.book({
        customer_id: holder.id,
        store_id: storeId,
        amount: booked,
        campaign_id: campaign.value || undefined,
        description: reason.value,
        minimum_balance: booked.startsWith("-") ? "0.00" : undefined,
      });
    const booking = await whileDisabled(button, () => outcomeOf(call()));
    if (signal.aborted) return;
    if (typeof booking === "string") return status.replaceChildren(`Refused: ${booking}`);
    const balance = `The balance at ${chain.name} is ${points(booking.balance)} now.`;
    const outcome = `${points(Number(booked), "always")} booked. ${balance}`;
    status.replaceChildren(booking.repeated ? `Booked once; its first answer was lost. ${outcome}` : outcome);
    onBooked(booking.balance);
  }

  const submit = (event: Event) => {
    event.preventDefault();
    void book();
  };
  const field = (label: string, input: HTMLElement, size = "") =>
    h("label", { class: size }, h("span", {}, label), input);
  return h(
    "form",
    { "aria-label": "Book points", submit },
    field("Points", amount, "half"),
    field("Campaign", campaign, "half"),
    field("Reason", reason),
    button,
    status,
  );
}

import { toDate } from "loyalty-edge/client";
import type { Named } from "./session.ts";

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;
export type Child = Node | string;

/** Creates an element. A function becomes a listener, true an attribute without a value, false no attribute. */
export function h<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes?: Attributes, ...children: Child[]) {
  return addTo(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. Treats attributes as `h` does. */
export function svg<Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes?: Attributes, ...children: Child[]) {
  return addTo(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function addTo<Kind extends Element>(element: Kind, attributes: Attributes = {}, children: Child[]): Kind {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** The element of index.html with this id. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`index.html has no ${kind.name} #${id}.`);
  return element;
}

/** A select box. The first choice, or the choice with this id, is selected. */
export function choice(label: string, choices: readonly Named[], onChoose: (id: string) => void, chosenId = "") {
  const options = choices.map(({ id, name }) => h("option", { value: id, selected: id === chosenId }, name));
  const select = h("select", { change: () => onChoose(select.value) }, ...options);
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

/** A list element, or no element if there are no entries. */
export function list(entries: readonly HTMLElement[]): HTMLElement[] {
  return entries.length === 0 ? [] : [h("ul", {}, ...entries)];
}

/** The content of a list item: a name with a line of details, a number, and perhaps a picture or a person's initials. */
export function entry(name: string, about: string, figure: string, picture: Element | string = ""): HTMLElement[] {
  const text = h("div", {}, h("strong", {}, name), h("p", {}, about));
  const circle = (initials: string) =>
    h("span", { class: "circle", "aria-hidden": "true", hidden: initials === "" }, initials);
  const first = typeof picture === "string" ? circle(picture) : h("span", { class: "thumb" }, picture);
  return [first, text, h("span", { class: "figure" }, figure)];
}

/** The initials of a person. A picture would be a request to another server. */
export function initials(name: string): string {
  const letters = name.split(" ").map((word) => [...word][0]);
  return letters.slice(0, 2).join("");
}

/** A time in the browser's zone: the hour if it is today, else the date. */
export function when(time: string): string {
  const [date, now] = [toDate(time), new Date()];
  if (date.toDateString() === now.toDateString())
    return date.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit" });
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
  return date.toLocaleDateString("en", { day: "numeric", month: "short", ...year });
}

/** A day with its year and the hour, in the browser's zone. */
export function momentOf(time: string): string {
  return toDate(time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}

/** A day with its year, in the browser's zone. */
export function dayOf(time: string): string {
  return toDate(time).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

const DAY_MS = 86_400_000;
const DAYS_IN_WORDS = 14;
const FAR_AHEAD_DAYS = 3_650;

/** When something ends or has ended, in words that a customer uses. */
export function endText(time: string | null): string {
  if (time === null) return "No end";
  const days = Math.floor((toDate(time).getTime() - Date.now()) / DAY_MS);
  if (days < 0) return `Ended ${dayOf(time)}`;
  if (days > FAR_AHEAD_DAYS) return "Valid for years";
  if (days > DAYS_IN_WORDS) return `Until ${dayOf(time)}`;
  return days < 1 ? "Ends within a day" : `${days} ${days === 1 ? "day" : "days"} left`;
}

/** Points, with two decimals, the commas of thousands and a real minus. */
export function points(amount: number, signDisplay: "auto" | "always" = "auto"): string {
  const text = amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay });
  return text.replace("-", "−");
}

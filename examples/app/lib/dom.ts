import { toDate } from "loyalty-edge/client";
import type { Named } from "./session.ts";

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;
export type Child = Node | string;

/** An element: a function is a listener, true an attribute without a value, false none. */
export function h<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes?: Attributes, ...children: Child[]) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same for what is drawn. */
export function svg<Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes?: Attributes, ...children: Child[]) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish<Kind extends Element>(element: Kind, attributes: Attributes = {}, children: Child[]): Kind {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** What index.html has by this id. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`index.html has no ${kind.name} #${id}.`);
  return element;
}

/** A choice of one among some: at first the first, or the one with this id. */
export function choice(label: string, among: readonly Named[], onChoose: (id: string) => void, chosen = "") {
  const options = among.map(({ id, name }) => h("option", { value: id, selected: id === chosen }, name));
  const select = h("select", { change: () => onChoose(select.value) }, ...options);
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

/** A list, or nothing. */
export function list(entries: readonly HTMLElement[]): HTMLElement[] {
  return entries.length === 0 ? [] : [h("ul", {}, ...entries)];
}

/** What stands in an entry of a list: a name with a line about it, a figure, and perhaps something in a circle. */
export function entry(name: string, about: string, figure: string, circle = ""): HTMLElement[] {
  const text = h("div", {}, h("strong", {}, name), h("p", {}, about));
  const mark = h("span", { class: "circle", "aria-hidden": true, hidden: circle === "" }, circle);
  return [mark, text, h("span", { class: "figure" }, figure)];
}

/** What stands for a person: a picture would come from elsewhere. */
export function initials(name: string): string {
  const letters = name.split(" ").map((word) => [...word][0]);
  return letters.slice(0, 2).join("");
}

/** A time of the service as a day here, or the hour today. */
export function when(time: string): string {
  const [at, now] = [toDate(time), new Date()];
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const };
  return at.toDateString() === now.toDateString()
    ? at.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit" })
    : at.toLocaleDateString("en", { day: "numeric", month: "short", ...year });
}

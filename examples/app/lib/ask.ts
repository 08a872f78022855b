import { h } from "./dom.ts";

/** Asks whether the customer means what they do. Resolves with false if they cancel, or close the dialog. */
export function ask(question: string, consequence: string, act: string): Promise<boolean> {
  return new Promise((resolve) => {
    const button = (label: string, answer: string) =>
      h("button", { type: "button", click: () => dialog.close(answer) }, label);
    const onClose = () => {
      dialog.remove();
      resolve(dialog.returnValue === act);
    };
    const dialog = h(
      "dialog",
      { class: "question", "aria-label": question, close: onClose },
      h("h2", {}, question),
      h("p", {}, consequence),
      h("p", { class: "acts" }, button("Cancel", ""), button(act, act)),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

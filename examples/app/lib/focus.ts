import type { Child } from "./dom.ts";

/**
 * Replaces an element's content. The keyboard's focus stays on the control with the same `data-key`, such as `c6/block`,
 * or moves to the first control of the same row, `c6/`, if that control is gone. What is unfolded stays unfolded.
 */
export function replaceContent(element: HTMLElement, ...content: Child[]): void {
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && element.contains(focused) ? focused.dataset.key : undefined;
  const unfolded = [...element.querySelectorAll<HTMLElement>("[open] > summary[data-key]")];
  element.replaceChildren(...content);
  for (const summary of element.querySelectorAll<HTMLElement>("summary[data-key]"))
    if (unfolded.some(({ dataset }) => dataset.key === summary.dataset.key))
      summary.parentElement?.setAttribute("open", "");
  if (key === undefined) return;
  const controls = [...element.querySelectorAll<HTMLElement>("[data-key]")];
  const row = key.slice(0, key.lastIndexOf("/") + 1);
  const sameControl = controls.find((control) => control.dataset.key === key);
  const control = sameControl ?? controls.find((control) => control.dataset.key?.startsWith(row));
  control?.focus({ preventScroll: true });
}

/** Disables a button while something runs. A disabled button loses the focus, so this gives it back. */
export async function whileDisabled<Outcome>(button: HTMLButtonElement, run: () => Promise<Outcome>): Promise<Outcome> {
  const hadFocus = document.activeElement === button;
  button.disabled = true;
  try {
    return await run();
  } finally {
    button.disabled = false;
    if (hadFocus && document.activeElement === document.body) button.focus({ preventScroll: true });
  }
}

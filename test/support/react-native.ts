// React Native takes its AbortController from the package abort-controller: its signals have neither `reason` nor
// `throwIfAborted`, and there is no `AbortSignal.any` or `timeout`.

class AbortSignal extends EventTarget {
  aborted = false;
}

class AbortController {
  readonly signal = new AbortSignal();

  abort(): void {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    this.signal.dispatchEvent(new Event("abort"));
  }
}

export const REACT_NATIVE = { AbortController, AbortSignal };

interface PassingRequest {
  method: string;
  /** The path, with its query. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface PassingAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Makes a service seem to break a rule, by changing its requests, its answers or its frames. */
export interface Break {
  request?: (request: PassingRequest) => void;
  answer?: (answer: PassingAnswer, request: PassingRequest) => void;
  /** Changes a frame, or drops it by returning null. */
  frame?: (text: string) => string | null;
}

type Item = Record<string, unknown>;

/** An `answer` function that changes the JSON of the answers for these paths. */
function changeBody(path: RegExp, change: (body: Item, request: PassingRequest) => void) {
  return (answer: PassingAnswer, request: PassingRequest) => {
    if (!path.test(request.path) || !answer.body.startsWith("{")) return;
    const body = JSON.parse(answer.body);
    change(body, request);
    answer.body = JSON.stringify(body);
  };
}

/** An `answer` function that changes each item. `items` is a list, or an object of lists. */
function changeItems(path: RegExp, change: (item: Item) => void) {
  return changeBody(path, ({ items }) => {
    for (const item of Object.values(items ?? {}).flat())
      if (typeof item === "object" && item !== null) change(item as Item);
  });
}

const FEED = /^\/api\/v1\/feed/;

/** How to break a rule. The key is a part of the rule's sentence. */
export const BREAKS: Record<string, Break & { section: string }> = {
  "HEAD** is answered like GET, without a body.": {
    section: "interface, 1",
    answer: (answer, { method }) => {
      if (method === "HEAD") answer.headers["content-type"] = "text/plain";
    },
  },
  "A scope allows what its row says and nothing else.": {
    section: "interface, 2",
    answer: (answer, { path }) => {
      if (path.includes("/customer/") && answer.status === 403) answer.status = 401;
    },
  },
  "Members whom the caller has blocked are left out and counted": {
    section: "interface, 4.2",
    answer: changeItems(/messages/, (item) => {
      item.group_name = String(item.group_name ?? "").replace(/ ?\(\d+ blocked\)/, "");
    }),
  },
  "Only valid coupons are listed": {
    section: "interface, 4.4",
    request: (request) => {
      if (FEED.test(request.path)) request.body = request.body.replaceAll('"usage_count":2', '"usage_count":1');
    },
  },
  "A preflight from any other is 403 `FORBIDDEN`, and says so.": {
    section: "interface, 6",
    answer: (answer, { headers }) => {
      if (headers.origin !== undefined) answer.headers["access-control-allow-origin"] = "*";
    },
  },
  "If any line is bad, nothing is applied.": {
    section: "feed, 1",
    request: (request) => {
      // Drop the bad line, so that the service applies the other lines.
      if (FEED.test(request.path)) request.body = request.body.replace(/\n[^\n]*"latitude":91[^\n]*$/, "");
    },
  },
  "Members below stay where they are in the tree.": {
    section: "feed, 2",
    answer: changeBody(/team-with-level/, (body) => {
      if (Array.isArray(body.items) && body.items.length === 1) body.items = [];
    }),
  },
  'The first is `{"type":"hello"}`.': {
    section: "live, 2",
    frame: (text) => (text.includes("hello") ? '{"type":"hi"}' : text),
  },
  "even if these add up to nothing": {
    section: "live, 3",
    frame: (text) => (text.includes("balance") ? null : text),
  },
};

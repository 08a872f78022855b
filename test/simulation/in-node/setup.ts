import { beforeAll, vi } from "vitest";
import { reset } from "./workers.ts";

// Node has no such class; an inbox makes one.
vi.stubGlobal("WebSocketRequestResponsePair", class {});

beforeAll(reset);

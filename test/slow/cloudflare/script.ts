export interface Binding {
  name: string;
  type: string;
  [field: string]: unknown;
}

/** A version keeps its bindings and its secrets. */
export interface Version {
  bindings: Binding[];
  /** The module of the Worker. */
  code: string;
  compatibility: { date: string; flags: string[] };
  tag?: string | undefined;
  /** The last migration of its Durable Objects; absent before the first. */
  migrationTag?: string | undefined;
  secrets: ReadonlyMap<string, string>;
}

/** A Worker, with the version that is deployed. */
export interface Script extends Version {
  /** In milliseconds since 1970. */
  createdAt: number;
  /** All versions by their ids, the newest last. */
  versions: Map<string, Version>;
  /** Whether it has an address at workers.dev. */
  isOpen: boolean;
  /** Whether each of its versions has an address, too. */
  hasOpenVersions: boolean;
  /** The settings of logs and traces. */
  observability?: unknown;
  schedules: { cron: string }[];
  domains: string[];
  /** The patterns of its routes in zones. */
  routes: string[];
  /** The versions of each deployment, the newest deployment first. */
  deployments: { version_id: string; percentage: number }[][];
}

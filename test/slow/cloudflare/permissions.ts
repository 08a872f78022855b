/** The permissions of an API token, each with the beginning of the paths that need it. The first that fits counts. */
export const PERMISSIONS = [
  { permission: "D1: Edit", path: "/d1/" },
  { permission: "Workers KV Storage: Edit", path: "/storage/kv/" },
  { permission: "Workers Scripts: Edit", path: "/workers/" },
  { permission: "Account Settings: Read", path: "/accounts" },
] as const;

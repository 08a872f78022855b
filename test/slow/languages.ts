import { spawnSync } from "node:child_process";

/** The backends of examples/backend, each with a line that prints a token of the customer `ada`. */
export const LANGUAGES = [
  { name: "Node", command: "node", file: "customer-token.mjs", print: 'console.log(customerToken("ada"));' },
  { name: "Python", command: "python3", file: "customer_token.py", print: 'print(customer_token("ada"))' },
  { name: "PHP", command: "php", file: "customer-token.php", print: "echo customer_token('ada');" },
];

export function isInstalled(command: string): boolean {
  return spawnSync(command, ["--version"]).status === 0;
}

// `.ci/run` runs this file to learn which languages it has to install.
if (import.meta.main) {
  const missing = LANGUAGES.filter(({ command }) => !isInstalled(command));
  if (missing.length > 0) throw new Error(`Missing: ${missing.map(({ name }) => name).join(", ")}.`);
}

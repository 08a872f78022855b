import type { Command } from "commander";
import { vi } from "vitest";
import { ROOT } from "./command.ts";

/** How a command ended, and all that it printed. */
export interface Ended {
  status: number;
  output: string;
}

export interface InProcess {
  env?: Record<string, string | undefined>;
  /** The folder in which the command is typed. */
  cwd?: string;
}

/**
 * Runs a command of the project in this process, because a new process takes a second to start. Only running() tests
 * npm, scripts/run.mjs and Ctrl-C.
 */
export async function inProcess(name: string, args: readonly string[], how: InProcess = {}): Promise<Ended> {
  return parse(await programOf(name), args, how);
}

/** The parser of a command, which scripts/NAME.ts exports. */
export async function programOf(name: string, root = ROOT): Promise<Command> {
  const { program } = (await import(/* @vite-ignore */ `${root}/scripts/${name}.ts`)) as { program: Command };
  return program;
}

class Exit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`Exit with ${status}`);
    this.status = status;
  }
}

export async function parse(program: Command, args: readonly string[], { env = {}, cwd = ROOT }: InProcess = {}) {
  let output = "";
  const print = (text: unknown) => {
    output += text;
    return true;
  };
  const printLine = (...texts: unknown[]) => print(`${texts.map(String).join(" ")}\n`);
  const before = process.cwd();
  const exit = (status: number | string | null | undefined): never => {
    throw new Exit(Number(status ?? 0));
  };
  const spies = [
    vi.spyOn(process, "exit").mockImplementation(exit),
    vi.spyOn(process.stdout, "write").mockImplementation(print),
    vi.spyOn(process.stderr, "write").mockImplementation(print),
    vi.spyOn(console, "log").mockImplementation(printLine),
    vi.spyOn(console, "error").mockImplementation(printLine),
  ];
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
  process.chdir(cwd);
  process.exitCode = undefined;
  try {
    await program.parseAsync(args, { from: "user" });
    return { status: Number(process.exitCode ?? 0), output };
  } catch (error) {
    if (error instanceof Exit) return { status: error.status, output };
    // As main() does, print only the message of such an error. A clone has its own class CommandError: compare names.
    if (error instanceof Error && (error.name === "CommandError" || "syscall" in error))
      return { status: 1, output: `${output}${error.message}\n` };
    throw error;
  } finally {
    process.exitCode = undefined;
    process.chdir(before);
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

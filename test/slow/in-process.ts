import type { Command } from "commander";
import { vi } from "vitest";
import { ROOT } from "./command.ts";

/** How a command ended, and all that it printed. */
export interface CommandResult {
  status: number;
  output: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  /** The folder in which the command is typed. */
  cwd?: string;
}

/**
 * Runs a command of the project, or of a clone, in this process, because a new process takes a second to start. Tests
 * of npm, of scripts/run.mjs and of Ctrl-C need a process: startCommand() or startProgram().
 */
export async function inProcess(
  name: string,
  args: readonly string[],
  { root = ROOT, cwd = root, env = {} }: RunOptions & { root?: string } = {},
): Promise<CommandResult> {
  return parse(await programOf(name, root), args, { cwd, env });
}

/** The parser of a command, which scripts/NAME.ts exports. */
export async function programOf(name: string, root = ROOT): Promise<Command> {
  const { program } = (await import(/* @vite-ignore */ `${root}/scripts/${name}.ts`)) as { program: Command };
  return program;
}

/** Runs the command of a parser, and collects what it prints. */
export async function parse(program: Command, args: readonly string[], { env = {}, cwd = ROOT }: RunOptions = {}) {
  let output = "";
  const print = (text: unknown) => {
    output += text;
    return true;
  };
  const printLine = (...texts: unknown[]) => print(`${texts.map(String).join(" ")}\n`);
  const cwdBefore = process.cwd();
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(print),
    vi.spyOn(process.stderr, "write").mockImplementation(print),
    vi.spyOn(console, "log").mockImplementation(printLine),
    vi.spyOn(console, "error").mockImplementation(printLine),
  ];
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
  process.chdir(cwd);
  process.exitCode = undefined;
  // The parser throws an error instead of ending this process.
  for (const command of [program, ...program.commands]) command.exitOverride();
  try {
    await program.parseAsync(args, { from: "user" });
    return { status: Number(process.exitCode ?? 0), output };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ("exitCode" in error) return { status: Number(error.exitCode), output };
    // scripts/lib/main.ts prints only the message of such errors. A clone has a class CommandError of its own, so this
    // compares names.
    if (error.name === "CommandError" || "syscall" in error)
      return { status: 1, output: `${output}${error.message}\n` };
    throw error;
  } finally {
    process.exitCode = undefined;
    process.chdir(cwdBefore);
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

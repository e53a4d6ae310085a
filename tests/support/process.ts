// Starts the real program as a user would, on any free port, over a folder of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_TIMEOUT_MS = 20_000;
const MAX_OUTPUT = 4 * 1024 * 1024;

export interface RunningProcess {
  readonly url: string;
  readonly dataDir: string;
  /** Only the first start of a folder prints one. */
  readonly apiKey: string | undefined;
  readonly child: ChildProcess;
  /** Everything it has written so far. */
  output(): string;
  /** kill -9, and wait until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export const freshDataDir = (): string => mkdtempSync(join(tmpdir(), 'signalbox-test-'));

export function spawnSignalbox(args: readonly string[], env: Record<string, string> = {}, cwd?: string): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
    cwd: cwd ?? tmpdir(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export async function startProcess(
  options: { dataDir?: string; env?: Record<string, string> } = {},
): Promise<RunningProcess> {
  const dataDir = options.dataDir ?? freshDataDir();
  const child = spawnSignalbox(['start'], { DATA_DIR: dataDir, ...options.env });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`did not start in time:\n${output}`)), START_TIMEOUT_MS);
    const read = (chunk: Buffer): void => {
      // A process under load logs without end; what matters stands at the beginning.
      if (output.length < MAX_OUTPUT) output += chunk.toString();
      const found = /is listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (found && output.includes('Try it:')) {
        clearTimeout(timer);
        resolve(found);
      }
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with code ${code} before it listened:\n${output}`));
    });
  });
  const gone = once(child, 'exit');
  return {
    url,
    dataDir,
    apiKey: /whk_[A-Za-z0-9_-]{43}/.exec(output)?.[0],
    child,
    output: () => output,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
      return child.exitCode;
    },
  };
}

/** Runs one command of the command line to its end. */
export async function runSignalbox(args: readonly string[], env: Record<string, string> = {}, cwd?: string) {
  const child = spawnSignalbox(args, env, cwd);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

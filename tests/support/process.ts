// Starts the real program as a user would, on any free port, over a folder of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url));
/** Far longer than any start takes; with a low priority on a machine that others use, a minute was not. */
const START_TIMEOUT_MS = 180_000;
const LAST_WORDS_MS = 5000;
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

/** As bin/signalbox.mjs has it: what was read of the source once is kept, which is most of a start. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/** Without a word about it the keys are in /data, which all processes of this machine would share. */
export const ownKeyFile = ({ DATA_DIR }: Readonly<Record<string, string>>) =>
  DATA_DIR === undefined ? {} : { API_KEY_STORE: join(DATA_DIR, 'api_keys.json') };

export function spawnSignalbox(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  output: 'pipe' | number = 'pipe',
  input: 'pipe' | 'ignore' = 'ignore',
  errors: 'pipe' | number = output,
  program = PROGRAM,
): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    cwd: cwd ?? tmpdir(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', NODE_COMPILE_CACHE, ...ownKeyFile(env), ...env },
    stdio: [input, output, errors],
  });
}

export interface StartOptions {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The working folder, whose `.env` is read. */
  readonly cwd?: string;
  /** Where a service manager would put the log; for benchmarks, whose machine has better things to do than to read it. */
  readonly logFile?: string;
  /** What is run instead of the command that people run. */
  readonly program?: string;
}

/** The trading process alone, for all tests that have nothing to do with scripts: it starts in half the time of both. */
export const startGatewayProcess = ({ env, ...options }: StartOptions = {}): Promise<RunningProcess> =>
  startProcess({ ...options, env: { SERVICES: 'gateway', ...env } });

export async function startProcess(options: StartOptions = {}): Promise<RunningProcess> {
  const dataDir = options.dataDir ?? freshDataDir();
  const { logFile } = options;
  const target = logFile === undefined ? 'pipe' : openSync(logFile, 'w');
  const env = { DATA_DIR: dataDir, ...options.env };
  const child = spawnSignalbox(['start'], env, options.cwd, target, 'ignore', target, options.program);
  let piped = '';
  const collect = (chunk: Buffer): void => {
    // A process under load logs without end; what matters stands at the beginning.
    if (piped.length < MAX_OUTPUT) piped += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const output = (): string => (logFile === undefined ? piped : readFileSync(logFile, 'utf8'));
  const url = await greeting(child, output);
  const closed = once(child, 'close');
  // What it wrote last is often read after its end; somebody it started may hold its output open, but not for long.
  const gone = once(child, 'exit').then(() => Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { ref: false })]));
  return {
    url,
    dataDir,
    apiKey: /whk_[A-Za-z0-9_-]{43}/.exec(output())?.[0],
    child,
    output,
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

/** Waits for the text a start ends with, and takes the address from it. */
async function greeting(child: ChildProcess, output: () => string): Promise<string> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const text = output();
    const url = /is listening on (http:\/\/\S+)/.exec(text)?.[1];
    if (url && text.includes('Try it:')) return url;
    if (child.exitCode !== null) throw new Error(`ended with code ${child.exitCode} before it listened:\n${text}`);
    if (performance.now() > deadlineMs) throw new Error(`did not start in time:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Runs one command of the command line to its end. */
export async function runSignalbox(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  /** What it finds on standard input. */
  input?: string,
) {
  const child = spawnSignalbox(args, env, cwd, 'pipe', input === undefined ? 'ignore' : 'pipe');
  // A command that never reads what it is given ends in its own way.
  child.stdin?.on('error', () => {}).end(input);
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

// A host for tests that answers with canned bodies and remembers everything it was asked and told.

import type {
  Answer,
  CliHost,
  CommandScripts,
  ConnectOptions,
  DoctorReport,
  KeyHost,
  Method,
  OpenedAccess,
  OpenedAccounts,
  ReplayOptions,
  ReplayReport,
  WalletHost,
} from '../host.ts';
import { runCli } from '../index.ts';
import { readLines } from '../read-lines.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly calls: readonly {
    readonly method: Method;
    readonly path: string;
    readonly body?: object | undefined;
    readonly key?: string;
  }[];
  readonly connects: readonly ConnectOptions[];
  readonly closed: number;
  readonly replays: readonly ReplayOptions[];
  readonly started: number;
}

export interface Given {
  readonly answer?: Answer;
  /** Instead of one answer for all: what each path is answered with. */
  readonly route?: (path: string) => Promise<Answer>;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTty?: boolean;
  readonly report?: DoctorReport;
  readonly startCode?: number;
  readonly connectError?: Error;
  /** Whether the connection is one to a running instance; it is unless this says otherwise. */
  readonly running?: boolean;
  readonly callError?: Error;
  /** What a test does not give is not there. */
  readonly scripts?: Partial<CommandScripts>;
  /** Standard input. */
  readonly input?: string;
  readonly screen?: CliHost['screen'];
  /** A Ctrl-C, when it comes. */
  readonly interrupt?: AbortSignal;
  readonly keyStores?: KeyHost;
  readonly wallet?: CliHost['wallet'];
  readonly accounts?: OpenedAccounts;
  readonly access?: OpenedAccess;
  /** What a person types on the terminal; without it standard input is none. */
  readonly typed?: readonly string[];
  /** What a replay comes to. */
  readonly replayed?: ReplayReport;
}

const unusable: CommandScripts = {
  run: () => Promise.reject(new Error('this test has no scripts')),
  evaluate: () => Promise.reject(new Error('this test has no scripts')),
  check: () => Promise.reject(new Error('this test has no scripts')),
  backtests: () => Promise.reject(new Error('this test has no scripts')),
  space: () => Promise.reject(new Error('this test has no scripts')),
  threads: 1,
  close: async () => {},
};

const noWallet: WalletHost = {
  importWalletKey: () => Promise.reject(new Error('no wallet here')),
  walletAddress: () => Promise.reject(new Error('no wallet here')),
};

const noKeyStores: KeyHost = {
  openAnalysisKeys: () => Promise.reject(new Error('this test has no analysis keys')),
  openScriptKeys: () => Promise.reject(new Error('this test has no script keys')),
};

async function* byteByByte(input: string) {
  for (const byte of Buffer.from(input)) yield Uint8Array.of(byte);
}

/** Runs one command line, written as a person would split it into words. */
export async function run(argv: readonly string[], given: Given = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const calls: Ran['calls'][number][] = [];
  const connects: ConnectOptions[] = [];
  const replays: ReplayOptions[] = [];
  let closed = 0;
  let started = 0;
  const host: CliHost = {
    work: () => Promise.resolve(0),
    async start() {
      started += 1;
      return given.startCode ?? 0;
    },
    async connect(options) {
      connects.push(options);
      if (given.connectError !== undefined) throw given.connectError;
      return {
        where: 'http://127.0.0.1:8787',
        running: given.running ?? true,
        async call(method, path, body, key) {
          calls.push({ method, path, ...(body && { body }), ...(key && { key }) });
          if (given.callError !== undefined) throw given.callError;
          if (given.route !== undefined) return given.route(path);
          return given.answer ?? { status: 200, body: { success: true, requestId: 'r-1', result: {} } };
        },
        async close() {
          closed += 1;
        },
      };
    },
    replay: async (options) => {
      replays.push(options);
      if (given.replayed === undefined) throw new Error('this test has no past');
      return given.replayed;
    },
    migrate: () => Promise.reject(new Error('this test has no data folder')),
    backup: () => Promise.reject(new Error('this test has no data folder')),
    restore: () => Promise.reject(new Error('this test has no backup')),
    doctor: async () => given.report ?? { checks: [], settings: [] },
    out: (text) => void out.push(text),
    async pour(pieces) {
      const decoder = new TextDecoder();
      // A line end follows every entry.
      out.push(
        [...pieces]
          .map((piece) => decoder.decode(piece, { stream: true }))
          .join('')
          .replace(/\n$/, ''),
      );
    },
    readLines: (count) => readLines(byteByByte(given.input ?? ''), count),
    readInput: async () => new TextEncoder().encode(given.input ?? ''),
    err: (text) => void err.push(text),
    env: given.env ?? {},
    isTty: given.isTty ?? false,
    ...(given.keyStores ?? noKeyStores),
    async openAccounts() {
      if (given.accounts === undefined) throw new Error('this test has no accounts');
      return given.accounts;
    },
    async openAccess() {
      if (given.access === undefined) throw new Error('this test has no password');
      return given.access;
    },
    askSecrets: async () => given.typed,
    wallet: given.wallet ?? noWallet,
    openScripts: async () => ({ ...unusable, ...given.scripts }),
    hearInterrupt: () => ({ signal: given.interrupt ?? new AbortController().signal, forget: () => {} }),
    cores: 2,
    newRunId: () => 'run-1',
    nowMs: () => 1_700_000_000_000,
    screen: given.screen,
    columns: 80,
    version: '9.8.7',
  };
  const code = await runCli(argv, host);
  return { code, out: out.join('\n'), err: err.join('\n'), calls, connects, replays, closed, started };
}

export const ok = (result: unknown): Given => ({
  answer: { status: 200, body: { success: true, requestId: 'r-1', result } },
});

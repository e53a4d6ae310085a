// The real command line as a person types it, and what it printed; one data folder and one environment for all commands.

import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { expect } from 'vitest';
import type { CliHost } from '../../src/cli/host.ts';
import { runCli } from '../../src/cli/index.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { openAccessForCommand } from '../../src/composition/access-commands.ts';
import { openAccounts } from '../../src/composition/account-commands.ts';
import { backupFolder } from '../../src/composition/backup.ts';
import { openAnalysisKeys, openScriptKeys } from '../../src/composition/commands.ts';
import { connect } from '../../src/composition/connect.ts';
import { doctor } from '../../src/composition/doctor.ts';
import type { LiveAdapters } from '../../src/composition/live-accounts.ts';
import { migrateFolder } from '../../src/composition/migrate.ts';
import { replayPast } from '../../src/composition/replay.ts';
import { restoreBackup } from '../../src/composition/restore.ts';
import { walletHost } from '../../src/composition/wallet-commands.ts';
import { ownKeyFile, runSignalbox } from '../support/process.ts';

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type CommandLine = ReturnType<typeof commandsBy>;

type Environment = Readonly<Record<string, string>>;

export const commandLine = (env: Environment) => commandsBy((args) => runSignalbox(args, env));

/** The commands on an instance or on its data folder, one at a time in this process: a process for each would cost far more than they do. */
export const commandLineHere = (
  env: Environment,
  input: readonly string[] = [],
  /** Of the venues that can be traded for real; those of the release otherwise. */
  adapters?: LiveAdapters,
): CommandLine => commandsBy((args) => runHere(args, env, input, adapters));

/** As `runSignalbox` runs it in a process of its own. */
export const runCommandHere = (args: readonly string[], env: Environment): Promise<Printed> => runHere(args, env, []);

async function runHere(
  args: readonly string[],
  env: Environment,
  input: readonly string[],
  adapters?: LiveAdapters,
): Promise<Printed> {
  const printed = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof printed) =>
    new Writable({
      write(chunk: Buffer, _, done) {
        printed[name] += chunk.toString();
        done();
      },
    });
  const terminal = openTerminal(stream('stdout'), stream('stderr'), { onFault: () => {}, onInterrupt: () => () => {} });
  const nobody = () => Promise.reject(new Error('only a process of its own has this'));
  const parts: Omit<CliHost, keyof typeof terminal> = {
    ...{ connect, env, version: 'test', newRunId: randomUUID },
    nowMs: () => Date.now(),
    ...{
      start: nobody,
      work: nobody,
      openScripts: nobody,
      readInput: nobody,
      doctor: (options) => doctor(options, adapters),
      replay: replayPast,
      backup: backupFolder,
      restore: restoreBackup,
      migrate: migrateFolder,
    },
    ...{ openAnalysisKeys, openScriptKeys, wallet: walletHost },
    openAccounts: (options) => openAccounts(options, adapters),
    openAccess: openAccessForCommand,
    askSecrets: async () => undefined,
    hearInterrupt: () => ({ signal: new AbortController().signal, forget: () => {} }),
    cores: 2,
    readLines: async (count) => input.slice(0, count),
  };
  const own = process.env;
  process.env = { ...ownKeyFile(env), ...env };
  try {
    return { code: await runCli([...args], { ...terminal, ...parts }), ...printed };
  } finally {
    process.env = own;
  }
}

function commandsBy(runArgs: (args: readonly string[]) => Promise<Printed>) {
  const run = (...args: string[]): Promise<Printed> => runArgs(args);
  return {
    run,
    /** Must succeed; gives what a person reads. */
    async done(...args: string[]): Promise<string> {
      const printed = await run(...args);
      expect(printed, `${args.join(' ')}\n${printed.stderr}`).toMatchObject({ code: 0 });
      return printed.stdout;
    },
    /** With --json: standard output must be one JSON document, standard error must be silent. */
    async json(...args: string[]) {
      const printed = await run(...args, '--json');
      expect(printed.stderr, args.join(' ')).toBe('');
      return { code: printed.code, body: JSON.parse(printed.stdout) };
    },
    /** Must fail with this code; gives the reason a person reads. */
    async refused(code: number, ...args: string[]): Promise<string> {
      const printed = await run(...args);
      expect(printed, args.join(' ')).toMatchObject({ code, stdout: '' });
      return printed.stderr;
    },
  };
}

/**
 * The words of `signalbox signal` for a market order, some flags replaced or added. Each has its own idempotency key:
 * without one, the same signal soon after a 503 would count as a resend.
 */
export function signalWords(key: string, flags: Record<string, string> = {}): string[] {
  const order = { exchange: 'binance', action: 'LONG', symbol: 'BTCUSDT', quantity: '0.01' };
  const all = { ...order, key, 'idempotency-key': randomUUID(), ...flags };
  return ['signal', ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])];
}

export const keyIn = (text: string): string => /whk_[A-Za-z0-9_-]{43}/.exec(text)?.[0] as string;
export const keyIdIn = (text: string): string => /key ([0-9a-f]{12}) /.exec(text)?.[1] as string;

// The entry: runs the command line over the real world. Every part is loaded by the command that needs it, so that each starts at once.

import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { CliHost, Interrupt } from './cli/host.ts';
import { runCli } from './cli/index.ts';
import { openTerminal } from './cli/terminal.ts';
import { VERSION } from './composition/version.ts';

const commands = () => import('./composition/commands.ts');
const walletCommands = () => import('./composition/wallet-commands.ts');

const parts: Omit<CliHost, keyof ReturnType<typeof openTerminal>> = {
  start: async () => (await import('./composition/serve.ts')).start(),
  work: async () => (await import('./composition/worker.ts')).work(),
  connect: async (options) => (await import('./composition/connect.ts')).connect(options),
  doctor: async (options) => (await import('./composition/doctor.ts')).doctor(options),
  async openScripts({ threads = 1, ...limits }) {
    const { createScriptPool } = await import('./adapters/scripts/script-pool.ts');
    return createScriptPool({ ...limits, size: threads, duty: 'command' });
  },
  hearInterrupt,
  cores: availableParallelism(),
  openAnalysisKeys: async (options) => (await commands()).openAnalysisKeys(options),
  openScriptKeys: async (options) => (await commands()).openScriptKeys(options),
  openAccounts: async (options) => (await import('./composition/account-commands.ts')).openAccounts(options),
  openAccess: async (options) => (await import('./composition/access-commands.ts')).openAccessForCommand(options),
  wallet: {
    importWalletKey: async (key) => (await walletCommands()).walletHost.importWalletKey(key),
    walletAddress: async (file) => (await walletCommands()).walletHost.walletAddress(file),
  },
  replay: async (options) => (await import('./composition/replay.ts')).replayPast(options),
  backup: async (options) => (await import('./composition/backup.ts')).backupFolder(options),
  restore: async (options) => (await import('./composition/restore.ts')).restoreBackup(options),
  migrate: async (options) => (await import('./composition/migrate.ts')).migrateFolder(options),
  env: process.env,
  askSecrets: async (questions) =>
    (await import('./cli/ask-secrets.ts')).askSecrets(process.stdin, process.stderr, questions),
  readLines: async (count) => (await import('./cli/read-lines.ts')).readLines(process.stdin, count),
  readInput: async (maxBytes) => (await import('./cli/read-input.ts')).readInput(process.stdin, maxBytes),
  newRunId: () => randomUUID(),
  nowMs: () => Date.now(),
  version: VERSION,
};

/** Whoever waits for this process is told that Ctrl-C ended it: the signal comes a second time, with nobody in its way. */
function onInterrupt(work: () => void): () => void {
  const listener = (): void => {
    work();
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', listener);
  return () => void process.off('SIGINT', listener);
}

function hearInterrupt(): Interrupt {
  const heard = new AbortController();
  const listener = (): void => heard.abort('interrupted');
  process.once('SIGINT', listener);
  return { signal: heard.signal, forget: () => void process.off('SIGINT', listener) };
}

async function main(): Promise<void> {
  // Trades and key digests are nobody else's business: every file made from here on is the owner's alone.
  process.umask(0o077);
  const onFault = (): void => {
    process.exitCode = 1;
  };
  const terminal = openTerminal(process.stdout, process.stderr, { onFault, onInterrupt });
  const code = await runCli(process.argv.slice(2), { ...terminal, ...parts });
  process.exitCode = process.exitCode || code;
}

await main();

// A real EVM node for tests: anvil on a free port of loopback, with accounts that are rich, ended by its process id.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { Address, Hex } from '../../../src/wallet/chain.ts';

const BINARY = fileURLToPath(new URL('../../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url));
const HOST = '127.0.0.1';
const READY_TIMEOUT_MS = 20_000;
const ATTEMPTS = 5;
/** The words every development node uses: their accounts are worth nothing anywhere else. */
const MNEMONIC = 'test test test test test test test test test test test junk';
const ACCOUNTS = 6;

export interface AnvilOptions {
  /** 1 unless told. */
  readonly chainId?: number;
  /** Seconds between blocks. Without it every transaction gets a block of its own at once. */
  readonly blockTime?: number;
  /** No block unless `mine` is called. */
  readonly manual?: boolean;
  /** Rules of an older network, such as `berlin`, which knows only one gas price. */
  readonly hardfork?: string;
}

export interface RichAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

export interface Anvil {
  readonly url: string;
  readonly port: number;
  readonly chainId: number;
  /** The first deploys what tests need (deployDex); the others have never sent anything. */
  readonly accounts: readonly [RichAccount, RichAccount, RichAccount, RichAccount, RichAccount, RichAccount];
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  mine(blocks?: number): Promise<void>;
  /** Whether every transaction gets a block at once. */
  autoMine(on: boolean): Promise<void>;
  /** Remembers everything; what is given back brings it back, once. */
  snapshot(): Promise<() => Promise<void>>;
  /** Holds it up without ending it: connections stay open and nothing is answered. */
  pause(): void;
  resume(): void;
  /** kill -9, and wait until it is gone. */
  kill(): Promise<void>;
}

export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { chainId = 1 } = options;
  assertInstalled();
  let child: ChildProcess | undefined;
  let port = 0;
  for (let attempt = 1; child === undefined; attempt += 1) {
    port = await freePort();
    try {
      child = await launchOn(port, chainId, options);
    } catch (error) {
      // Somebody else may have taken the port meanwhile.
      if (attempt === ATTEMPTS) throw error;
    }
  }
  const node = child;
  endWithThisProcess(node);
  const url = `http://${HOST}:${port}`;
  const rpc = rpcOf(url);
  return {
    url,
    port,
    chainId,
    accounts: richAccounts(),
    rpc,
    mine: (blocks = 1) => rpc('anvil_mine', [toHex(blocks)]),
    autoMine: (on) => rpc('evm_setAutomine', [on]),
    async snapshot() {
      const id = await rpc('evm_snapshot');
      return () => rpc('evm_revert', [id]);
    },
    pause: () => void node.kill('SIGSTOP'),
    resume: () => void node.kill('SIGCONT'),
    async kill() {
      if (node.exitCode !== null || node.signalCode !== null) return;
      const gone = once(node, 'exit');
      node.kill('SIGKILL');
      await gone;
    },
  };
}

const started = new Set<ChildProcess>();

/** Also when a test run is cut short: nothing of it stays behind. */
function endWithThisProcess(child: ChildProcess): void {
  if (started.size === 0)
    process.once('exit', () => {
      for (const one of started) one.kill('SIGKILL');
    });
  started.add(child);
}

/** There are no skipped tests here: where it is missing, this throws and says how to install it. */
function assertInstalled(): void {
  try {
    accessSync(BINARY, constants.X_OK);
  } catch {
    throw new Error(
      'these tests need anvil, a real EVM node, and its package @foundry-rs/anvil-linux-amd64 is not installed. ' +
        'Run "npm ci" (without --omit=optional) on Linux with an x64 processor; elsewhere run the tests in such a container',
    );
  }
}

export function rpcOf(url: string): Anvil['rpc'] {
  let id = 0;
  return async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    id += 1;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    const answer = (await response.json()) as { result?: T; error?: { message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result as T;
  };
}

function richAccounts(): Anvil['accounts'] {
  const accounts = Array.from({ length: ACCOUNTS }, (_, addressIndex) => {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex });
    return { address: account.address, privateKey: toHex(account.getHdKey().privateKey as Uint8Array) };
  });
  return accounts as unknown as Anvil['accounts'];
}

async function launchOn(port: number, chainId: number, options: AnvilOptions): Promise<ChildProcess> {
  const args = ['--host', HOST, '--port', `${port}`, '--chain-id', `${chainId}`, '--accounts', `${ACCOUNTS}`];
  if (options.blockTime !== undefined) args.push('--block-time', `${options.blockTime}`);
  if (options.manual) args.push('--no-mining');
  if (options.hardfork !== undefined) args.push('--hardfork', options.hardfork);
  // Two threads are plenty for a test.
  const child = spawn(BINARY, [...args, '--threads', '2'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // It keeps old states in its home; that is one for this run alone.
    env: { PATH: process.env.PATH, HOME: mkdtempSync(join(tmpdir(), 'signalbox-anvil-')) },
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-4000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  child.on('error', (error) => collect(Buffer.from(error.message)));
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (!output.includes('Listening on') || !(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`anvil did not start on port ${port}:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return child;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}

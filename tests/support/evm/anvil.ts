// A real EVM node for tests: anvil on a free port of loopback, with accounts that are rich, ended by its process id.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { Address, Hex } from '../../../src/wallet/chain.ts';
import { freePort, launchServer } from '../launched-server.ts';

const BINARY = fileURLToPath(new URL('../../../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url));
const HOST = '127.0.0.1';
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
  return launchServer({
    program: BINARY,
    // Two threads are plenty for a test.
    args: [...args, '--threads', '2'],
    // It keeps old states in its home; that is one for this run alone.
    env: { PATH: process.env.PATH, HOME: mkdtempSync(join(tmpdir(), 'signalbox-anvil-')) },
    port,
    readyText: 'Listening on',
  });
}

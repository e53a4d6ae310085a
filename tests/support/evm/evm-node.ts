// A real EVM node for tests: Hardhat's on a free port of loopback, with accounts that are rich, ended by its process id.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { Address, Hex } from '../../../src/wallet/chain.ts';
import { freePort, launchServer } from '../launched-server.ts';

/** A package of its own, with its own lock file: see install.mjs there. */
const PACKAGE = fileURLToPath(new URL('./chain/', import.meta.url));
const PROGRAM = join(PACKAGE, 'node_modules/hardhat/dist/src/cli.js');
const HOST = '127.0.0.1';
const ATTEMPTS = 5;
/** The words every development node uses: their accounts are worth nothing anywhere else. */
const MNEMONIC = 'test test test test test test test test test test test junk';
const ACCOUNTS = 6;

export interface EvmNodeOptions {
  /** 1 unless told. */
  readonly chainId?: number;
}

export interface RichAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

export interface EvmNode {
  readonly url: string;
  readonly port: number;
  readonly chainId: number;
  /** The first deploys what tests need (deployDex); the others have never sent anything. */
  readonly accounts: readonly [RichAccount, RichAccount, RichAccount, RichAccount, RichAccount, RichAccount];
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  mine(blocks?: number): Promise<void>;
  /** Whether every transaction gets a block at once. */
  autoMine(on: boolean): Promise<void>;
  /** Remembers the chain and what waits; what is given back brings it back, once. Blocks mined since are gone, as in a reorganisation. */
  snapshot(): Promise<() => Promise<void>>;
  /** Holds it up without ending it: connections stay open and nothing is answered. */
  pause(): void;
  resume(): void;
  /** kill -9, and wait until it is gone. */
  kill(): Promise<void>;
}

export async function startEvmNode({ chainId = 1 }: EvmNodeOptions = {}): Promise<EvmNode> {
  assertInstalled();
  let child: ChildProcess | undefined;
  let port = 0;
  for (let attempt = 1; child === undefined; attempt += 1) {
    port = await freePort();
    try {
      child = await launchOn(port, chainId);
    } catch (error) {
      // Somebody else may have taken the port meanwhile.
      if (attempt === ATTEMPTS) throw error;
    }
  }
  const launched = child;
  const url = `http://${HOST}:${port}`;
  const rpc = rpcOf(url);
  // It would write several lines about every question.
  await rpc('hardhat_setLoggingEnabled', [false]);
  return {
    url,
    port,
    chainId,
    accounts: richAccounts(),
    rpc,
    mine: async (blocks = 1) => void (await rpc('hardhat_mine', [toHex(blocks)])),
    autoMine: async (on) => void (await rpc('evm_setAutomine', [on])),
    async snapshot() {
      const id = await rpc('evm_snapshot');
      return async () => {
        if (!(await rpc<boolean>('evm_revert', [id]))) throw new Error('a snapshot brings the chain back only once');
      };
    },
    pause: () => void launched.kill('SIGSTOP'),
    resume: () => void launched.kill('SIGCONT'),
    async kill() {
      if (launched.exitCode !== null || launched.signalCode !== null) return;
      const gone = once(launched, 'exit');
      launched.kill('SIGKILL');
      await gone;
    },
  };
}

/** There are no skipped tests here: where it is missing, this throws and says how to install it. */
function assertInstalled(): void {
  if (existsSync(PROGRAM)) return;
  throw new Error('these tests need a real EVM node, and it is not installed yet; run "npm run pretest" once');
}

export function rpcOf(url: string): EvmNode['rpc'] {
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

function richAccounts(): EvmNode['accounts'] {
  const accounts = Array.from({ length: ACCOUNTS }, (_, addressIndex) => {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex });
    return { address: account.address, privateKey: toHex(account.getHdKey().privateKey as Uint8Array) };
  });
  return accounts as unknown as EvmNode['accounts'];
}

async function launchOn(port: number, chainId: number): Promise<ChildProcess> {
  return launchServer({
    program: process.execPath,
    args: [PROGRAM, 'node', '--hostname', HOST, '--port', `${port}`, '--chain-id', `${chainId}`],
    // It finds its settings in the folder it runs in, and keeps its files in its home: that is one for this run alone.
    folder: PACKAGE,
    env: {
      PATH: process.env.PATH,
      HOME: mkdtempSync(join(tmpdir(), 'signalbox-evm-')),
      HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    },
    port,
    readyText: 'Started HTTP',
  });
}

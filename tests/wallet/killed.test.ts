// A process that is killed between every two steps of a payment, against a real node: what was signed is paid once, the rest never.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeySigner } from '../../src/adapters/chains/viem/key-signer.ts';
import type { Hex } from '../../src/wallet/chain.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { openTestChain } from '../support/evm/test-chain.ts';
import { freshDataDir } from '../support/process.ts';
import { eventually } from '../webhook/answers.ts';
import { openWalletGateway } from './open-wallet-gateway.ts';

const PROGRAM = fileURLToPath(new URL('./pay-and-die.ts', import.meta.url));
/** More than a payment has; the last ones pay and live. */
const STEPS = 14;
/** Killed after a step is killed before the next one: every second step in both ways is every moment once. */
const STRIDE = 2;

let node: EvmNode;
beforeAll(async () => {
  node = await startEvmNode();
});
afterAll(() => node?.kill());

async function payAndDie(dataDir: string, value: number, step: number, when: string): Promise<string> {
  const { privateKey } = node.accounts[1];
  const args = [PROGRAM, dataDir, node.url, privateKey, node.accounts[2].address, `${value}`, `${step}`, when];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return output;
}

async function paid(): Promise<number[]> {
  const height = Number(await node.rpc<Hex>('eth_blockNumber'));
  const values: number[] = [];
  for (let number = 0; number <= height; number++) {
    const block = await node.rpc<{ transactions: { value: Hex }[] }>('eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      true,
    ]);
    values.push(...block.transactions.map(({ value }) => Number(value)));
  }
  return values;
}

describe.each(['before', 'after'])('killed %s a step is done', (when) => {
  it('pays what was signed exactly once, never what was not, and the queue goes on', async () => {
    const dataDir = freshDataDir();
    const base = when === 'before' ? 100 : 200;
    const survived: number[] = [];
    for (let step = 1; step <= STEPS; step += STRIDE)
      if ((await payAndDie(dataDir, base + step, step, when)) === 'paid') survived.push(step);
    expect(survived.length).toBeGreaterThan(0);
    expect(survived.length).toBeLessThan(STEPS / STRIDE);

    const gateway = await openWalletGateway({
      chains: { ethereum: openTestChain(node) },
      signer: createKeySigner(node.accounts[1].privateKey),
      gateway: { dataDir },
    });
    await gateway.wallet.start();
    await eventually(
      async () => {
        await node.mine(3);
        await gateway.wallet.look();
        return (await gateway.ask('status')).body.result.pendingTransactions;
      },
      (pending) => pending === 0,
    );
    const { result } = (await gateway.ask('transactions', { limit: 100 })).body;
    const byStatus = (wanted: string): number[] =>
      result
        .filter(({ status }: { status: string }) => status === wanted)
        .map(({ valueWei }: { valueWei: string }) => Number(valueWei));
    const ours = (await paid()).filter((value) => value > base && value <= base + STEPS);
    expect(ours.toSorted()).toEqual(byStatus('Confirmed').toSorted());
    expect(new Set(ours).size).toBe(ours.length);
    for (const step of survived) expect(ours).toContain(base + step);
    expect(result.filter(({ status }: { status: string }) => status === 'Pending')).toEqual([]);
    // Both kinds really came about: killed before the signature was on disk, and after it.
    expect(ours.length).toBeGreaterThan(survived.length);
    expect(ours.length).toBeLessThan(STEPS / STRIDE);
    await gateway.close();
  });
});

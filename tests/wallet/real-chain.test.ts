// The wallet through the front door against a real node with real Uniswap pools: order, swaps, refusals, and every kind of mishap.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeySigner } from '../../src/adapters/chains/viem/key-signer.ts';
import type { Address, Hex } from '../../src/wallet/chain.ts';
import { STUCK_MS } from '../../src/wallet/testing/open-test-wallet.ts';
import { type Dex, deployDex } from '../support/evm/dex.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { openTestChain, prepare, type TestChain } from '../support/evm/test-chain.ts';
import type { Sent } from '../support/gateway.ts';
import { eventually, expectRefusal } from '../webhook/answers.ts';
import { openWalletGateway, type WalletGateway } from './open-wallet-gateway.ts';

const ETHER = 10n ** 18n;
const SEND = { methods: ['eth_sendRawTransaction'] };

let node: EvmNode;
let dex: Dex;
let proxy: RpcProxy;
let chain: TestChain;
let gateway: WalletGateway;
let goBack: () => Promise<void>;
let me: Address;
let friend: Address;
/** Everything that was answered, for the search for secrets. */
const answers: string[] = [];

beforeAll(async () => {
  node = await startEvmNode();
  dex = await deployDex(node);
  me = node.accounts[1].address;
  friend = node.accounts[2].address;
  await dex.give(dex.tokens.usdc, me, 10_000_000_000n);
  await dex.give(dex.tokens.usdt, me, 10_000_000_000n);
  proxy = await startRpcProxy(node.url);
}, 60_000);
beforeEach(async () => {
  goBack = await node.snapshot();
  chain = openTestChain(node, { dex, rpcUrls: [proxy.url] });
  gateway = await openWalletGateway({
    chains: { ethereum: chain },
    signer: createKeySigner(node.accounts[1].privateKey),
  });
});
afterEach(async () => {
  proxy.heal();
  await gateway.close();
  await node.autoMine(true);
  await goBack();
});
afterAll(async () => {
  await proxy?.close();
  await node?.kill();
});

const ask = async (operation: string, body: object = {}): Promise<Sent> => {
  const sent = await gateway.ask(operation, body);
  answers.push(JSON.stringify(sent.body));
  return sent;
};
const pay = (value: bigint) => ask('send', { to: friend, value: String(value) });
const one = async (hash: Hex) => (await ask('transactions', { hash })).body.result;
/** Until everything is final: the node takes what it gets into a block a moment later. */
const confirm = (): Promise<void> =>
  eventually(
    async () => {
      await node.mine(3);
      await gateway.wallet.look();
      return (await gateway.ask('status')).body.result.pendingTransactions;
    },
    (pending) => pending === 0,
  );
const usdc = async () => (await chain.tokenBalances([dex.tokens.usdc], me))[0] as bigint;
/** Values of what `me` sent, by nonce, as the chain has them. */
async function mined(): Promise<bigint[]> {
  const height = Number(await node.rpc<Hex>('eth_blockNumber'));
  const values: bigint[] = [];
  for (let number = 0; number <= height; number++) {
    const block = await node.rpc<{ transactions: { from: string; nonce: Hex; value: Hex }[] }>('eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      true,
    ]);
    for (const { from, nonce, value } of block.transactions)
      if (from === me.toLowerCase()) values[Number(nonce)] = BigInt(value);
  }
  return values;
}

describe('sending', () => {
  it('twenty at once are mined in order, each once', async () => {
    await node.autoMine(false);
    const sent = await Promise.all(Array.from({ length: 20 }, (_, index) => pay(BigInt(index + 1))));
    expect(sent.map(({ status, body }) => [status, body.result.nonce])).toEqual(sent.map((_, index) => [200, index]));
    await node.mine();
    expect(await mined()).toEqual(sent.map((_, index) => BigInt(index + 1)));
    await confirm();
    const { result } = (await ask('transactions')).body;
    expect(result.map(({ status }: { status: string }) => status)).toEqual(sent.map(() => 'Confirmed'));
  });

  it('native coins and tokens arrive, and what cannot is refused with the reason', async () => {
    const before = await chain.nativeBalance(friend);
    await ask('transfer', { token: 'native', to: friend, amount: '5' });
    await ask('transfer', { token: dex.tokens.usdc, to: friend, amount: '7' });
    await ask('transfer', { token: dex.tokens.usdt, to: friend, amount: '9' });
    await confirm();
    expect((await chain.nativeBalance(friend)) - before).toBe(5n);
    expect(await chain.tokenBalances([dex.tokens.usdc, dex.tokens.usdt], friend)).toEqual([7n, 9n]);
    const much = await ask('transfer', { token: dex.tokens.usdc, to: friend, amount: String(10n ** 30n) });
    expectRefusal(much, 'TRANSACTION_WOULD_REVERT');
    expect(much.body.error).toMatch(/would fail: .{5,}; nothing was signed/);
    expectRefusal(await pay(10n ** 30n), 'TRANSACTION_WOULD_REVERT');
    expect((await ask('balance', { tokens: [dex.tokens.usdc, dex.tokens.usdt] })).body.result).toMatchObject({
      address: me,
      tokens: [
        { symbol: 'USDC', decimals: 6, amount: '9999999993' },
        { symbol: 'USDT', decimals: 6, amount: '9999999991' },
      ],
    });
  });

  it('what is no token is told as such', async () => {
    const sent = await ask('balance', { tokens: [friend] });
    expect([sent.status, sent.body.code]).toEqual([400, 'INVALID_PAYLOAD']);
    expect(sent.body.error).toContain(friend);
  });
});

describe('a swap', () => {
  it('gives exactly what the quote says: native in, native out, and token for token', async () => {
    const { tokens } = dex;
    const legs = [
      { tokenIn: 'native', tokenOut: tokens.usdc, amountIn: ETHER },
      { tokenIn: tokens.usdc, tokenOut: tokens.dai, amountIn: 1_000_000n },
      { tokenIn: tokens.usdc, tokenOut: tokens.usdt, amountIn: 1_000_000n },
    ] as const;
    for (const { amountIn, ...leg } of legs) {
      const body = { ...leg, amountIn: String(amountIn) };
      const balance = async () => (await chain.tokenBalances([leg.tokenOut], me))[0] as bigint;
      const before = await balance();
      const { amountOut } = (await ask('quote', body)).body.result;
      const swapped = await ask('swap', body);
      expect([swapped.status, swapped.body.error]).toEqual([200, undefined]);
      await confirm();
      expect(await one(swapped.body.result.hash)).toMatchObject({ status: 'Confirmed', error: null });
      expect((await balance()) - before).toBe(BigInt(amountOut));
    }
    const before = await chain.nativeBalance(me);
    const back = { tokenIn: tokens.usdc, tokenOut: 'native', amountIn: '2000000' };
    const { amountOut } = (await ask('quote', back)).body.result;
    const swapped = await ask('swap', back);
    await confirm();
    const done = (await ask('transactions', { limit: 2 })).body.result as { feeWei: string }[];
    const fees = done.reduce((sum, { feeWei }) => sum + BigInt(feeWei), 0n);
    expect(swapped.status).toBe(200);
    expect((await chain.nativeBalance(me)) - before + fees).toBe(BigInt(amountOut));
  });

  it('approves exactly what it needs, and uses it up', async () => {
    const swapped = await ask('swap', { tokenIn: dex.tokens.usdc, tokenOut: 'native', amountIn: '1000000' });
    const { spender } = swapped.body.result.details;
    await confirm();
    const [, approval] = (await ask('transactions')).body.result;
    expect(approval).toMatchObject({ operation: 'approve', details: { amount: '1000000', spender, forSwap: true } });
    expect(await chain.allowance(dex.tokens.usdc, me, spender)).toBe(0n);
  });

  it('two at once of one token both go through, each with an approval of its own', async () => {
    const body = { tokenIn: dex.tokens.usdc, tokenOut: 'native', amountIn: '1000000' };
    const before = await usdc();
    const both = await Promise.all([ask('swap', body), ask('swap', { ...body, amountIn: '500000' })]);
    await confirm();
    for (const { body: answered } of both)
      expect(await one(answered.result.hash)).toMatchObject({ status: 'Confirmed' });
    expect(before - (await usdc())).toBe(1_500_000n);
  });

  it('below the caller’s own bound, or without a pool, is refused before anything is signed', async () => {
    const body = { tokenIn: 'native', tokenOut: dex.tokens.usdc, amountIn: String(ETHER) };
    expectRefusal(await ask('swap', { ...body, minAmountOut: String(10n ** 12n) }), 'SWAP_REFUSED');
    expectRefusal(await ask('swap', { ...body, tokenOut: dex.tokens.lonely }), 'SWAP_REFUSED');
    expect((await ask('transactions')).body.result).toEqual([]);
  });
});

describe('an approval', () => {
  it('is exact, is taken away with 0, and a token that changes none that is there says so', async () => {
    const approve = async (token: Address, amount: string) => {
      const sent = await ask('approve', { token, spender: friend, amount });
      await confirm();
      return sent;
    };
    await approve(dex.tokens.usdc, '42');
    expect(await chain.allowance(dex.tokens.usdc, me, friend)).toBe(42n);
    await approve(dex.tokens.usdc, '0');
    expect(await chain.allowance(dex.tokens.usdc, me, friend)).toBe(0n);
    await approve(dex.tokens.usdt, '5');
    expectRefusal(await approve(dex.tokens.usdt, '6'), 'TRANSACTION_WOULD_REVERT');
    expect((await approve(dex.tokens.usdt, '0')).status).toBe(200);
    expect((await approve(dex.tokens.usdt, '6')).status).toBe(200);
  });
});

describe('a mishap', () => {
  it.each(['cut', 'lose-answer'] as const)(
    '%s while sending leaves it Pending, and it is mined once',
    async (trouble) => {
      proxy.trouble(trouble, SEND);
      const sent = await pay(7n);
      expect(sent.body.tradeResult).toMatchObject({ status: 'Pending', queued: true });
      proxy.heal();
      await gateway.wallet.look();
      await confirm();
      expect(await one(sent.body.result.hash)).toMatchObject({ status: 'Confirmed', replacedHashes: [] });
      expect(await mined()).toEqual([7n]);
    },
  );

  it('a dead endpoint refuses what is new and comes back by itself', async () => {
    proxy.trouble('cut');
    expectRefusal(await pay(1n), 'CHAIN_UNREACHABLE');
    proxy.heal();
    expect((await pay(1n)).body.result.nonce).toBe(0);
  });

  it.each(['eth_getTransactionCount', 'eth_getBalance', 'eth_feeHistory', 'eth_getBlockByNumber', 'eth_estimateGas'])(
    'an endpoint that refuses %s, or answers garbage to it, is no fault of ours',
    async (method) => {
      const limited = { reply: { error: { code: -32_005, message: 'rate limit exceeded' } } };
      for (const kind of [
        limited,
        { reply: { result: 'garbage' } },
        { reply: { result: null } },
        'garbage',
        500,
      ] as const) {
        proxy.trouble(kind, { methods: [method] });
        for (const operation of ['status', 'balance', 'send']) {
          const sent = await ask(operation, operation === 'send' ? { to: friend, value: '1' } : {});
          expect([method, operation, sent.status]).not.toEqual([method, operation, 500]);
        }
      }
    },
  );

  it('a reorganisation brings it back to Pending, and the same bytes are mined again', async () => {
    const undo = await node.snapshot();
    const sent = await pay(3n);
    await eventually(
      async () => {
        await gateway.wallet.look();
        return (await one(sent.body.result.hash)).state;
      },
      (state) => state === 'mined',
    );
    await node.autoMine(false);
    await undo();
    expect(await mined()).toEqual([]);
    await gateway.wallet.look();
    expect(await one(sent.body.result.hash)).toMatchObject({
      status: 'Pending',
      state: 'sent',
      blockNumber: null,
      confirmations: 0,
    });
    await confirm();
    expect(await one(sent.body.result.hash)).toMatchObject({ status: 'Confirmed', replacedHashes: [] });
    expect(await mined()).toEqual([3n]);
  });

  it('one that is stuck is replaced with a higher fee, and is found under either hash', async () => {
    await node.autoMine(false);
    const sent = await pay(4n);
    gateway.clock.offsetMs += STUCK_MS;
    await gateway.wallet.look();
    await confirm();
    const first = sent.body.result.hash;
    const found = await one(first);
    expect(found).toMatchObject({ status: 'Confirmed', replacedHashes: [first], nonce: 0 });
    expect(found.hash).not.toBe(first);
    expect(await one(found.hash)).toEqual(found);
    expect(await mined()).toEqual([4n]);
  });

  it('another program that uses the key takes a nonce, and ours becomes Replaced', async () => {
    await node.autoMine(false);
    const sent = await pay(5n);
    const rich = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 500_000_000_000n };
    const rival = await prepare(
      chain,
      createKeySigner(node.accounts[1].privateKey),
      chain.transferCall('native', friend, 6n),
      { nonce: 0, ...rich },
    );
    expect(await chain.send(rival)).toEqual({ kind: 'accepted' });
    await node.mine();
    await gateway.wallet.look();
    gateway.clock.offsetMs += STUCK_MS;
    await gateway.wallet.look();
    expect(await one(sent.body.result.hash)).toMatchObject({ status: 'Replaced' });
    expect((await pay(8n)).body.result.nonce).toBe(1);
    await node.mine();
    expect(await mined()).toEqual([6n, 8n]);
  });

  it('what a node forgot is sent again', async () => {
    await node.autoMine(false);
    const sent = await pay(9n);
    await node.rpc('hardhat_dropTransaction', [sent.body.result.hash]);
    await gateway.wallet.look();
    await confirm();
    expect(await one(sent.body.result.hash)).toMatchObject({ status: 'Confirmed' });
    expect(await mined()).toEqual([9n]);
  });
});

it('the private key is in no answer, no log and no file', async () => {
  await pay(1n);
  const key = node.accounts[1].privateKey.slice(2);
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name)).toContain('signalbox.db');
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    expect([name, bytes.includes(key), bytes.includes(Buffer.from(key, 'hex'))]).toEqual([name, false, false]);
  }
  expect(answers.length).toBeGreaterThan(50);
  for (const text of [...answers, ...gateway.troubles, ...chain.lines]) expect(text.toLowerCase()).not.toContain(key);
});

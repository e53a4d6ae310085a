// Transactions on a real node: nonces, what the network says to a transaction, receipts, confirmations, reorganisations, fees.

import { parseEther, parseGwei } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeySigner } from '../../src/adapters/chains/viem/key-signer.ts';
import { NETWORKS } from '../../src/adapters/chains/viem/networks.ts';
import { openChain } from '../../src/adapters/chains/viem/open-chain.ts';
import { type Address, ChainUnreachable, type Signer, type UnsignedTransaction } from '../../src/wallet/chain.ts';
import { builderOn } from '../support/evm/builder.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { ECHO_REVERT } from '../support/evm/odd-token.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { openTestChain, prepare, type TestChain } from '../support/evm/test-chain.ts';

let node: EvmNode;
let chain: TestChain;
let signer: Signer;
let other: Address;
let proxy: RpcProxy;
let goBack: () => Promise<void>;

beforeAll(async () => {
  node = await startEvmNode();
  chain = openTestChain(node);
  signer = createKeySigner(node.accounts[1].privateKey);
  other = node.accounts[2].address;
  proxy = await startRpcProxy(node.url);
  await node.mine(3);
});

beforeEach(async () => {
  goBack = await node.snapshot();
  await node.autoMine(false);
});

afterEach(async () => {
  proxy.heal();
  await goBack();
});

afterAll(async () => {
  await proxy?.close();
  await node?.kill();
});

const coins = (amount = 1n) => chain.transferCall('native', other, amount);
const signed = (change: Partial<UnsignedTransaction> = {}) => prepare(chain, signer, coins(), change);

describe('the nonce', () => {
  it('counts waiting transactions, or only those in blocks', async () => {
    expect(await chain.nonce(signer.address, 'pending')).toBe(0);
    await chain.send(await signed());
    expect([await chain.nonce(signer.address, 'latest'), await chain.nonce(signer.address, 'pending')]).toEqual([0, 1]);
    await node.mine();
    expect([await chain.nonce(signer.address, 'latest'), await chain.nonce(signer.address, 'pending')]).toEqual([1, 1]);
  });

  it('is the largest waiting one and the smallest mined one of several endpoints', async () => {
    const lagging = await startRpcProxy(node.url);
    lagging.trouble({ reply: { result: '0x0' } }, { methods: ['eth_getTransactionCount'] });
    const both = openTestChain(node, { rpcUrls: [lagging.url, node.url] });
    await chain.send(await signed());
    expect(await both.nonce(signer.address, 'pending')).toBe(1);
    await node.mine();
    expect([await both.nonce(signer.address, 'latest'), await both.nonce(signer.address, 'pending')]).toEqual([0, 1]);
    await lagging.close();
  });
});

describe('the network says to a transaction', () => {
  it('accepted, and known when the same comes again', async () => {
    const transaction = await signed();
    expect(await chain.knows(transaction.hash)).toBe(false);
    expect(await chain.send(transaction)).toEqual({ kind: 'accepted' });
    expect(await chain.knows(transaction.hash)).toBe(true);
    expect(await chain.send(transaction)).toEqual({ kind: 'known' });
  });

  it('known also when it is in a block already', async () => {
    const transaction = await signed();
    await chain.send(transaction);
    await node.mine();
    expect(await chain.send(transaction)).toEqual({ kind: 'known' });
  });

  it('stale when another one took its place', async () => {
    await chain.send(await signed());
    await node.mine();
    const late = await signed({ nonce: 0, gasLimit: 30_000n });
    expect(await chain.send(late)).toEqual({ kind: 'stale-nonce' });
    expect(await chain.knows(late.hash)).toBe(false);
  });

  it('underpriced when it replaces another without paying more, and accepted when it does', async () => {
    const fees = await chain.fees();
    await chain.send(await signed({ nonce: 0, ...fees }));
    const same = await prepare(chain, signer, coins(2n), { nonce: 0, ...fees });
    expect(await chain.send(same)).toMatchObject({ kind: 'underpriced' });
    const more = { maxFeePerGas: fees.maxFeePerGas * 2n, maxPriorityFeePerGas: fees.maxPriorityFeePerGas * 2n };
    const better = await prepare(chain, signer, coins(2n), { nonce: 0, ...more });
    expect(await chain.send(better)).toEqual({ kind: 'accepted' });
    await node.mine();
    expect(await chain.receipt(better.hash)).toMatchObject({ status: 'success' });
  });

  it('underpriced when it pays less than the block asks for', async () => {
    // A node that keeps transactions for later blocks would take it.
    await node.autoMine(true);
    const cheap = await signed({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n });
    expect(await chain.send(cheap)).toMatchObject({ kind: 'underpriced' });
  });

  it('refused when the account cannot pay for it, in words', async () => {
    const balance = await chain.nativeBalance(signer.address);
    const tooMuch = await prepare(chain, signer, coins(balance), { gasLimit: 21_000n });
    expect(await chain.send(tooMuch)).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('too little of the chain’s coin'),
    });
  });

  it('refused when its gas is below what any transaction needs, or it is for another chain', async () => {
    expect(await chain.send(await signed({ gasLimit: 20_000n }))).toMatchObject({ kind: 'refused' });
    expect(await chain.send(await signed({ chainId: 5 }))).toMatchObject({ kind: 'refused' });
    expect(await chain.send({ hash: `0x${'11'.repeat(32)}`, raw: '0x1234' })).toMatchObject({ kind: 'refused' });
  });
});

describe('a receipt', () => {
  it('is not there until there is a block, and counts the blocks on top', async () => {
    const transaction = await signed();
    await chain.send(transaction);
    expect(await chain.receipt(transaction.hash)).toBeUndefined();
    await node.mine();
    const first = await chain.receipt(transaction.hash);
    expect(first).toMatchObject({ status: 'success', gasUsed: 21_000n, confirmations: 1 });
    expect(first?.effectiveGasPrice).toBeGreaterThan(0n);
    await node.mine(11);
    expect(await chain.receipt(transaction.hash)).toEqual({ ...first, confirmations: 12 });
  });

  it('says so when the transaction was reverted', async () => {
    await node.autoMine(true);
    const echo = await builderOn(node.rpc, node.accounts[0].address).deployCode(ECHO_REVERT);
    await node.autoMine(false);
    const transaction = await prepare(chain, signer, { to: echo, valueWei: 5n, data: '0x' }, { gasLimit: 100_000n });
    await chain.send(transaction);
    await node.mine();
    expect(await chain.receipt(transaction.hash)).toMatchObject({ status: 'reverted', confirmations: 1 });
  });

  it('of nothing is nothing', async () => {
    expect(await chain.receipt(`0x${'00'.repeat(32)}`)).toBeUndefined();
    expect(await chain.knows(`0x${'00'.repeat(32)}`)).toBe(false);
  });

  it('goes away when the chain is reorganised, and comes back in another block when it is mined again', async () => {
    const transaction = await signed();
    const undo = await node.snapshot();
    await chain.send(transaction);
    await node.mine(3);
    const before = await chain.receipt(transaction.hash);
    expect(before?.confirmations).toBe(3);
    await undo();
    // Another block in its place: the one that comes again is not the same.
    await node.mine();
    expect(await chain.receipt(transaction.hash)).toBeUndefined();
    expect(await chain.nonce(signer.address, 'latest')).toBe(0);
    await chain.send(transaction);
    await node.mine();
    const after = await chain.receipt(transaction.hash);
    expect(after).toMatchObject({ status: 'success', confirmations: 1 });
    expect(after?.blockHash).not.toBe(before?.blockHash);
  });

  it('is found when only one of the endpoints has it', async () => {
    const lagging = await startRpcProxy(node.url);
    lagging.trouble(
      { reply: { result: null } },
      { methods: ['eth_getTransactionByHash', 'eth_getTransactionReceipt'] },
    );
    const both = openTestChain(node, { rpcUrls: [lagging.url, node.url] });
    const transaction = await signed();
    await chain.send(transaction);
    expect(await both.knows(transaction.hash)).toBe(true);
    await node.mine();
    // Asked more often than there are endpoints: whoever leads, it is found.
    for (let round = 0; round < 4; round += 1)
      expect(await both.receipt(transaction.hash)).toMatchObject({ status: 'success' });
    await lagging.close();
  });
});

describe('an outage in the middle of sending', () => {
  const through = () => openTestChain(node, { rpcUrls: [proxy.url] });

  it('after the transaction arrived: it is known at the second try', async () => {
    proxy.trouble('lose-answer', { methods: ['eth_sendRawTransaction'], times: 1 });
    expect(await through().send(await signed())).toEqual({ kind: 'known' });
  });

  it('that lasts is told as such, and afterwards it can be asked what became of it', async () => {
    const transaction = await signed();
    const cut = through();
    proxy.trouble('lose-answer', { methods: ['eth_sendRawTransaction'] });
    await expect(cut.send(transaction)).rejects.toThrow(ChainUnreachable);
    proxy.heal();
    expect(await cut.knows(transaction.hash)).toBe(true);
  });

  it('before it arrived: nothing was sent, and the same may be sent again', async () => {
    const transaction = await signed();
    const cut = through();
    proxy.trouble('cut', { methods: ['eth_sendRawTransaction'] });
    await expect(cut.send(transaction)).rejects.toThrow(ChainUnreachable);
    proxy.heal();
    expect(await cut.knows(transaction.hash)).toBe(false);
    expect(await cut.send(transaction)).toEqual({ kind: 'accepted' });
  });

  it('at one endpoint: the other takes it, once', async () => {
    proxy.trouble('lose-answer', { methods: ['eth_sendRawTransaction'] });
    const both = openTestChain(node, { rpcUrls: [proxy.url, node.url] });
    const transaction = await signed();
    expect(await both.send(transaction)).toEqual({ kind: 'known' });
    await node.mine();
    expect(await chain.nonce(signer.address, 'latest')).toBe(1);
  });

  it('at one endpoint and a refusal of the other are no refusal: it may still be waiting at the first', async () => {
    const refusing = await startRpcProxy(node.url);
    refusing.trouble(
      { reply: { error: { code: -32_000, message: 'insufficient funds for gas * price + value' } } },
      {
        methods: ['eth_sendRawTransaction'],
      },
    );
    // By a clock that stands still both are equally fast, and then the first is asked first.
    const still = { monotonicMs: () => 0, timeoutMs: 1_500 };
    const both = openTestChain(node, { rpcUrls: [proxy.url, refusing.url], ...still });
    await both.verify();
    const transaction = await signed();
    // The first takes it, loses the answer, and cannot be asked afterwards.
    proxy.trouble('hang');
    await expect(both.send(transaction)).rejects.toThrow('may have taken the transaction');
    // Once it answers again, it is known there.
    proxy.heal();
    await chain.send(transaction);
    expect(await both.send(transaction)).toEqual({ kind: 'known' });
    await refusing.close();
  });

  it('of an endpoint nobody listens at is no doubt: the refusal of the other counts', async () => {
    const gone = await startRpcProxy(node.url);
    await gone.close();
    const both = openTestChain(node, { rpcUrls: [gone.url, node.url] });
    const balance = await chain.nativeBalance(signer.address);
    const tooMuch = await prepare(chain, signer, coins(balance), { gasLimit: 21_000n });
    expect(await both.send(tooMuch)).toMatchObject({ kind: 'refused' });
    expect(both.endpoints().map(({ state }) => state)).toEqual(['failing', 'good']);
  });
});

describe('fees', () => {
  it('cover a doubled base fee and the usual tip', async () => {
    const { baseFeePerGas } = await node.rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', ['pending', false]);
    const fees = await chain.fees();
    expect(fees.maxPriorityFeePerGas).toBeGreaterThanOrEqual(NETWORKS.ethereum.fees.minPriorityFee);
    expect(fees.maxFeePerGas).toBe(BigInt(baseFeePerGas) * 2n + fees.maxPriorityFeePerGas);
  });

  it.each([
    [
      'a tip of the median, one mad block left out',
      { baseFeePerGas: ['0x1', '0x3b9aca00'], reward: [['0x5f5e100'], ['0x5f5e100'], ['0xffffffffffffffff']] },
      '2.1',
      '0.1',
    ],
    ['no tips at all', { baseFeePerGas: ['0x3b9aca00'] }, '2.01', '0.01'],
    ['a mad tip everywhere', { baseFeePerGas: ['0x3b9aca00'], reward: [['0xffffffffffffffff']] }, '52', '50'],
    ['a mad base fee', { baseFeePerGas: ['0xffffffffffffffffff'], reward: [['0x0']] }, '1000', '0.01'],
  ])('stay within their bounds: %s', async (_name, result, max, tip) => {
    proxy.trouble({ reply: { result } }, { methods: ['eth_feeHistory'] });
    const fees = await openTestChain(node, { rpcUrls: [proxy.url] }).fees();
    expect(fees).toEqual({ maxFeePerGas: parseGwei(max), maxPriorityFeePerGas: parseGwei(tip) });
  });

  it('on Polygon never tip less than its nodes take', async () => {
    const log = { info: () => {}, warn: () => {} };
    const polygon = openChain({
      name: 'polygon',
      chainId: 1,
      rpcUrls: [node.url],
      log,
      monotonicMs: () => performance.now(),
    });
    expect((await polygon.fees()).maxPriorityFeePerGas).toBe(parseGwei('30'));
  });

  it.each([
    ['the method is missing', { error: { code: -32_601, message: 'the method does not exist' } }],
    ['the network has no base fee', { result: { baseFeePerGas: ['0x0'], reward: [] } }],
    ['the answer is senseless', { result: { baseFeePerGas: 'yes' } }],
  ])('come from the gas price where %s', async (_name, reply) => {
    proxy.trouble({ reply }, { methods: ['eth_feeHistory'] });
    const fees = await openTestChain(node, { rpcUrls: [proxy.url] }).fees();
    const price = BigInt(await node.rpc<string>('eth_gasPrice'));
    expect(fees.maxFeePerGas).toBe(price * 2n + fees.maxPriorityFeePerGas);
  });

  it('let a transaction into the next block', async () => {
    const transaction = await prepare(chain, signer, coins(parseEther('1')));
    await chain.send(transaction);
    await node.mine();
    expect(await chain.receipt(transaction.hash)).toMatchObject({ status: 'success' });
  });
});

// Quotes and swaps against real Uniswap contracts on a real node: what was quoted is what arrives, or nothing happens.

import { encodeFunctionData, encodePacked, maxUint256, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeySigner } from '../../src/adapters/chains/viem/key-signer.ts';
import type { Address, Hex, Signer, SwapQuote, TokenRef } from '../../src/wallet/chain.ts';
import { artifact } from '../support/evm/artifacts.ts';
import { soon } from '../support/evm/builder.ts';
import { type Dex, deployDex } from '../support/evm/dex.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { carryOut, openTestChain, prepare, type TestChain } from '../support/evm/test-chain.ts';

let node: EvmNode;
let dex: Dex;
let chain: TestChain;
let signer: Signer;
let goBack: () => Promise<void>;
const six = (amount: string): bigint => parseUnits(amount, 6);

beforeAll(async () => {
  node = await startEvmNode();
  dex = await deployDex(node);
  // A pool that runs dry makes the node count for seconds.
  chain = openTestChain(node, { dex, timeoutMs: 60_000 });
  signer = createKeySigner(node.accounts[1].privateKey);
  const { usdc, dai, usdt, lonely } = dex.tokens;
  for (const [token, amount] of [
    [usdc, six('100000')],
    [usdt, six('100000')],
    [dai, parseEther('100000')],
    [lonely, 10n],
  ] as const)
    await dex.give(token, signer.address, amount);
  goBack = await node.snapshot();
});

beforeEach(async () => {
  await goBack();
  goBack = await node.snapshot();
});

afterAll(() => node?.kill());

/** A minute ahead of the chain, whose clock is its own. */
async function soonS(): Promise<number> {
  const { timestamp } = await node.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false]);
  return Number(timestamp) + 60;
}

async function quoted(tokenIn: TokenRef, tokenOut: TokenRef, amountIn: bigint): Promise<SwapQuote> {
  const quote = await chain.quote({ tokenIn, tokenOut, amountIn });
  if (quote === undefined) throw new Error('there is no quote');
  return quote;
}

/** One way through the v3 pools, as the contract itself answers; 0 where a pool is missing. */
async function askQuoter(quoter: Address, way: Hex, amountIn: bigint): Promise<bigint> {
  const { abi } = artifact('QuoterV2');
  const data = encodeFunctionData({ abi, functionName: 'quoteExactInput', args: [way, amountIn] });
  const answer = await node.rpc<Hex>('eth_call', [{ to: quoter, data }, 'latest']).catch(() => undefined);
  return answer === undefined ? 0n : BigInt(answer.slice(0, 66));
}

const balanceOf = async (token: TokenRef, owner: Address): Promise<bigint> =>
  token === 'native' ? chain.nativeBalance(owner) : ((await chain.tokenBalances([token], owner))[0] as bigint);

/** Approves exactly what is paid, swaps, and tells what came in and went out, gas left out. */
async function swap(quote: SwapQuote, minAmountOut = quote.amountOut) {
  const { tokenIn, tokenOut, amountIn, router } = quote;
  if (tokenIn !== 'native') await carryOut(chain, signer, chain.approveCall(tokenIn, router, amountIn));
  const before = [await balanceOf(tokenIn, signer.address), await balanceOf(tokenOut, signer.address)] as const;
  const terms = { recipient: signer.address, minAmountOut, deadlineS: await soonS() };
  const { status, gasUsed, effectiveGasPrice } = await carryOut(chain, signer, chain.swapCall(quote, terms));
  const after = [await balanceOf(tokenIn, signer.address), await balanceOf(tokenOut, signer.address)] as const;
  const gas = gasUsed * effectiveGasPrice;
  return {
    status,
    paid: before[0] - after[0] - (tokenIn === 'native' ? gas : 0n),
    received: after[1] - before[1] + (tokenOut === 'native' ? gas : 0n),
  };
}

describe('a swap brings exactly what was quoted', () => {
  const USDC = () => dex.tokens.usdc;
  const DAI = () => dex.tokens.dai;
  const USDT = () => dex.tokens.usdt;
  const WETH = () => dex.contracts.weth;
  const COIN = () => 'native' as const;

  it.each([
    { name: 'coin to token over v2', from: COIN, to: USDC, amountIn: parseEther('1'), protocol: 'uniswap-v2', hops: 1 },
    { name: 'token to coin over v2', from: USDC, to: COIN, amountIn: six('2000'), protocol: 'uniswap-v2', hops: 1 },
    {
      name: 'token to token over v2, through the wrapped coin',
      from: USDC,
      to: DAI,
      amountIn: six('500'),
      protocol: 'uniswap-v2',
      hops: 2,
    },
    {
      name: 'coin to token over v3',
      from: COIN,
      to: USDT,
      amountIn: parseEther('1'),
      protocol: 'uniswap-v3',
      hops: 1,
      fees: [500],
    },
    {
      name: 'token to coin over v3',
      from: USDT,
      to: COIN,
      amountIn: six('2000'),
      protocol: 'uniswap-v3',
      hops: 1,
      fees: [500],
    },
    {
      name: 'token to token over v3',
      from: USDC,
      to: USDT,
      amountIn: six('300'),
      protocol: 'uniswap-v3',
      hops: 1,
      fees: [100],
    },
    {
      name: 'token to token over v3, through the wrapped coin',
      from: DAI,
      to: USDT,
      amountIn: parseEther('200'),
      protocol: 'uniswap-v3',
      hops: 2,
      fees: [10_000, 500],
    },
    {
      name: 'token that answers nothing, through the wrapped coin',
      from: USDT,
      to: DAI,
      amountIn: six('200'),
      protocol: 'uniswap-v3',
      hops: 2,
      fees: [500, 10_000],
    },
    {
      name: 'token to the wrapped coin itself',
      from: USDT,
      to: WETH,
      amountIn: six('10'),
      protocol: 'uniswap-v3',
      hops: 1,
      fees: [500],
    },
    {
      name: 'a few millionths of a token',
      from: USDC,
      to: USDT,
      amountIn: 5n,
      protocol: 'uniswap-v3',
      hops: 1,
      fees: [100],
    },
  ] as const)('$name', async ({ from, to, amountIn, protocol, hops, ...rest }) => {
    const quote = await quoted(from(), to(), amountIn);
    expect(quote).toMatchObject({ protocol, amountIn, tokenIn: from(), tokenOut: to() });
    expect(quote.path).toHaveLength(hops + 1);
    expect(quote.feesPath).toEqual('fees' in rest ? rest.fees : []);
    expect(await swap(quote)).toEqual({ status: 'success', paid: amountIn, received: quote.amountOut });
  });

  it('and hands it to another recipient where one is named', async () => {
    const quote = await quoted('native', dex.tokens.usdt, parseEther('1'));
    const recipient = node.accounts[4].address;
    await carryOut(
      chain,
      signer,
      chain.swapCall(quote, { recipient, minAmountOut: quote.amountOut, deadlineS: await soonS() }),
    );
    expect(await balanceOf(dex.tokens.usdt, recipient)).toBe(quote.amountOut);
  });

  it('and leaves nothing in the router', async () => {
    for (const [from, to] of [
      ['native', dex.tokens.usdt],
      [dex.tokens.usdt, 'native'],
    ] as const)
      await swap(await quoted(from, to, from === 'native' ? parseEther('1') : six('1000')));
    const { v3Router, weth } = dex.contracts;
    expect(await chain.nativeBalance(v3Router)).toBe(0n);
    expect(await chain.tokenBalances([weth, dex.tokens.usdt], v3Router)).toEqual([0n, 0n]);
  });
});

describe('a pool that runs dry in the middle', () => {
  it('gives back the coins it did not take: none stay in the router', async () => {
    const { lonely } = dex.tokens;
    const { weth, v3Router } = dex.contracts;
    await dex.addV3Pool(500, [lonely, 1_000_000n], [weth, 1_000_000n], 10);
    const path = [weth, lonely];
    const common = { tokenIn: 'native', tokenOut: lonely, protocol: 'uniswap-v3', router: v3Router } as const;
    const { paid, received } = await swap(
      { ...common, path, feesPath: [500], amountIn: 5_000_000n, amountOut: 1n, priceImpactBps: 0 },
      1n,
    );
    expect(received).toBeGreaterThan(990_000n);
    expect(paid).toBeLessThan(1_100_000n);
    expect(await chain.nativeBalance(v3Router)).toBe(0n);
  });
});

describe('a quote', () => {
  it('is the best of every way there is, whatever the size', async () => {
    const { usdc, usdt, dai } = dex.tokens;
    const { weth, v3Quoter } = dex.contracts;
    await dex.addV3Pool(3000, [weth, parseEther('300')], [usdt, six('603000')]);
    await dex.addV3Pool(3000, [weth, parseEther('300')], [dai, parseEther('600000')]);
    await dex.addV3Pool(500, [usdc, six('100')], [usdt, six('101')]);
    const fees = [100, 500, 3000, 10_000];
    const ways = (from: Address, to: Address): Hex[] => [
      ...fees.map((fee) => encodePacked(['address', 'uint24', 'address'], [from, fee, to])),
      ...fees.flatMap((first) =>
        fees.map((second) =>
          encodePacked(['address', 'uint24', 'address', 'uint24', 'address'], [from, first, weth, second, to]),
        ),
      ),
    ];
    const v2Only = openTestChain(node, { dex: { ...dex, contracts: { weth, v2Router: dex.contracts.v2Router } } });
    const winners = new Set<string>();
    for (const [from, to] of [
      [usdc, usdt],
      [dai, usdt],
      [usdt, dai],
      [usdc, dai],
    ] as const)
      for (const size of [7n, 1_000n, 25_000n, 90_000n]) {
        const amountIn = from === dai ? parseEther(`${size}`) : size * 10n ** 6n;
        const quote = await quoted(from, to, amountIn);
        const offers = await Promise.all(ways(from, to).map((way) => askQuoter(v3Quoter, way, amountIn)));
        const v2 = await v2Only.quote({ tokenIn: from, tokenOut: to, amountIn });
        const best = [...offers, v2?.amountOut ?? 0n].reduce((a, b) => (a > b ? a : b));
        expect(quote.amountOut).toBe(best);
        winners.add(`${quote.protocol} ${quote.path.length} ${quote.feesPath.join()}`);
      }
    // The sizes are chosen so that no way wins always.
    expect(winners.size).toBeGreaterThan(3);
  });

  it('does not exist where no pool is', async () => {
    const { lonely, usdc } = dex.tokens;
    for (const [tokenIn, tokenOut] of [
      [lonely, usdc],
      [usdc, lonely],
      ['native', lonely],
      [node.accounts[5].address, usdc],
    ] as const)
      expect(await chain.quote({ tokenIn, tokenOut, amountIn: 10n })).toBeUndefined();
  });

  it('does not exist for nothing, for a token with itself, or for the coin with its own wrapping', async () => {
    const { usdc } = dex.tokens;
    expect(await chain.quote({ tokenIn: usdc, tokenOut: 'native', amountIn: 0n })).toBeUndefined();
    expect(await chain.quote({ tokenIn: usdc, tokenOut: usdc, amountIn: 5n })).toBeUndefined();
    expect(await chain.quote({ tokenIn: 'native', tokenOut: dex.contracts.weth, amountIn: 5n })).toBeUndefined();
  });

  it('of less than the smallest unit does not exist, nor one beyond every number', async () => {
    // Ten wei are far below one millionth of a dollar.
    expect(await chain.quote({ tokenIn: 'native', tokenOut: dex.tokens.usdt, amountIn: 10n })).toBeUndefined();
    const huge = await chain.quote({ tokenIn: dex.tokens.usdc, tokenOut: dex.tokens.usdt, amountIn: maxUint256 });
    expect(huge).toBeUndefined();
  });

  it('never has a pool in it that would run dry on the way', async () => {
    const { lonely, usdc } = dex.tokens;
    await dex.addV3Pool(500, [lonely, 1_000_000n], [usdc, 1_000_000n], 10);
    const fits = await quoted(lonely, usdc, 900_000n);
    expect(fits.feesPath).toEqual([500]);
    expect(await chain.quote({ tokenIn: lonely, tokenOut: usdc, amountIn: 1_100_000n })).toBeUndefined();
  });
});

describe('a swap that would bring less than asked for', () => {
  it.each(['usdc', 'usdt'] as const)('is seen by the simulation beforehand (%s)', async (token) => {
    const quote = await quoted('native', dex.tokens[token], parseEther('1'));
    const call = chain.swapCall(quote, {
      recipient: signer.address,
      minAmountOut: quote.amountOut + 1n,
      deadlineS: await soonS(),
    });
    expect(await chain.simulate(signer.address, call)).toEqual({
      ok: false,
      reason: expect.stringContaining('the price moved further than the slippage allowed'),
    });
  });

  it('also when it goes out to the coin', async () => {
    const quote = await quoted(dex.tokens.usdt, 'native', six('100'));
    await carryOut(chain, signer, chain.approveCall(dex.tokens.usdt, quote.router, quote.amountIn));
    const call = chain.swapCall(quote, {
      recipient: signer.address,
      minAmountOut: quote.amountOut + 1n,
      deadlineS: await soonS(),
    });
    expect(await chain.simulate(signer.address, call)).toMatchObject({ ok: false });
  });

  it('reverts on the chain too, when the price moves after the simulation, and costs only gas', async () => {
    const quote = await quoted('native', dex.tokens.usdc, parseEther('1'));
    const terms = { recipient: signer.address, minAmountOut: quote.amountOut, deadlineS: await soonS() };
    const mine = await prepare(chain, signer, chain.swapCall(quote, terms));
    const other = createKeySigner(node.accounts[2].privateKey);
    const rush = await quoted('native', dex.tokens.usdc, parseEther('50'));
    await carryOut(chain, other, chain.swapCall(rush, { ...terms, recipient: other.address, minAmountOut: 1n }));
    const before = await chain.nativeBalance(signer.address);
    expect(await chain.send(mine)).toEqual({ kind: 'accepted' });
    const { status, gasUsed, effectiveGasPrice } = await soon(() => chain.receipt(mine.hash));
    expect(status).toBe('reverted');
    expect(await chain.nativeBalance(signer.address)).toBe(before - gasUsed * effectiveGasPrice);
  });

  it('cannot be asked for without a bound', async () => {
    const quote = await quoted('native', dex.tokens.usdc, parseEther('1'));
    for (const minAmountOut of [0n, -1n])
      expect(() => chain.swapCall(quote, { recipient: signer.address, minAmountOut, deadlineS: 1 })).toThrow(
        'above zero',
      );
  });
});

describe('the deadline', () => {
  it.each(['usdc', 'usdt'] as const)('ends a swap (%s)', async (token) => {
    const quote = await quoted('native', dex.tokens[token], parseEther('1'));
    const call = chain.swapCall(quote, {
      recipient: signer.address,
      minAmountOut: 1n,
      deadlineS: (await soonS()) - 120,
    });
    const simulation = await chain.simulate(signer.address, call);
    expect(simulation).toEqual({ ok: false, reason: expect.stringContaining('its deadline has passed') });
  });
});

describe('without an allowance', () => {
  it.each([
    ['uniswap-v2', 'usdc', 'dai'],
    ['uniswap-v3', 'usdt', 'usdc'],
  ] as const)('a swap over %s is refused in words', async (protocol, from, to) => {
    const quote = await quoted(dex.tokens[from], dex.tokens[to], six('10'));
    expect(quote.protocol).toBe(protocol);
    const call = chain.swapCall(quote, { recipient: signer.address, minAmountOut: 1n, deadlineS: await soonS() });
    const simulation = await chain.simulate(signer.address, call);
    expect(simulation).toEqual({ ok: false, reason: expect.stringContaining('allowance of the token is too low') });
  });
});

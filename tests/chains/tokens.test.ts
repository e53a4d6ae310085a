// Tokens, allowances, transfers and simulations against a real node, with tokens as odd as the real ones.

import { encodeAbiParameters, encodeErrorResult, maxUint256, parseAbi, parseEther, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeySigner } from '../../src/adapters/chains/viem/key-signer.ts';
import { type Address, type Hex, NotAToken, type Signer } from '../../src/wallet/chain.ts';
import { type Dex, deployDex } from '../support/evm/dex.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { ECHO_REVERT, errorText, type OddToken, oddTokenCode } from '../support/evm/odd-token.ts';
import { startRpcProxy } from '../support/evm/rpc-proxy.ts';
import { carryOut, openTestChain, type TestChain } from '../support/evm/test-chain.ts';

let node: EvmNode;
let dex: Dex;
let chain: TestChain;
let signer: Signer;
let other: Address;

beforeAll(async () => {
  node = await startEvmNode();
  dex = await deployDex(node);
  chain = openTestChain(node, { dex });
  signer = createKeySigner(node.accounts[1].privateKey);
  other = node.accounts[2].address;
});

afterAll(() => node?.kill());

/** All of it belongs to the signer. */
async function deployToken(token: Partial<OddToken> = {}): Promise<Address> {
  const address = await dex.builder.deployCode(oddTokenCode({ symbol: 'ODD', decimals: 18, supply: 1000n, ...token }));
  if (token.refusesTransfersWith === undefined && token.answers !== 'false')
    await dex.give(address, signer.address, 1000n);
  return address;
}

const balance = async (token: Address, owner: Address): Promise<bigint> =>
  (await chain.tokenBalances([token], owner))[0] as bigint;

describe('a token', () => {
  it.each([0, 6, 18, 255])('has its %i decimals', async (decimals) => {
    const address = await deployToken({ decimals });
    expect(await chain.token(address)).toEqual({ address, symbol: 'ODD', decimals });
  });

  it('may have its name in one word, as the first ones do', async () => {
    const address = await deployToken({ symbol: 'MKR', symbolAs: 'word' });
    expect(await chain.token(address)).toEqual({ address, symbol: 'MKR', decimals: 18 });
  });

  it('is called by its address where it has no name, or one that cannot be shown', async () => {
    for (const token of [{ symbolAs: 'nothing' }, { symbol: '\u202e\u0007\n' }, { symbol: '' }] as const) {
      const address = await deployToken(token);
      expect((await chain.token(address)).symbol).toBe(`${address.slice(0, 6)}…${address.slice(-4)}`);
    }
  });

  it('cannot hide anything in its name', async () => {
    const address = await deployToken({ symbol: 'US\u202eDC\n<b>' });
    expect((await chain.token(address)).symbol).toBe('USDC<b>');
  });

  it('is none where the decimals are beyond 255', async () => {
    const address = await deployToken({ decimals: 256 });
    await expect(chain.token(address)).rejects.toThrow(NotAToken);
  });

  it('is none where nobody lives, or where something else does', async () => {
    for (const address of [other, dex.contracts.v2Router]) {
      await expect(chain.token(address)).rejects.toThrow(NotAToken);
      await expect(chain.token(address)).rejects.toThrow(`${address} is no ERC-20 token on ethereum`);
      await expect(chain.tokenBalances([dex.tokens.usdc, address], other)).rejects.toThrow(address);
      await expect(chain.allowance(address, other, other)).rejects.toThrow(NotAToken);
    }
  });

  it('is asked for once', async () => {
    const proxy = await startRpcProxy(node.url);
    const watched = openTestChain(node, { dex, rpcUrls: [proxy.url] });
    await watched.token(dex.tokens.usdc);
    const { length } = proxy.asked;
    await watched.token(dex.tokens.usdc);
    expect(proxy.asked).toHaveLength(length);
    await proxy.close();
  });
});

describe('balances', () => {
  it('of many tokens come at once, in their order, in a few requests', async () => {
    const address = await deployToken();
    const tokens = Array.from({ length: 120 }, (_, index) => (index % 2 === 0 ? address : dex.tokens.dai));
    const balances = await chain.tokenBalances(tokens, signer.address);
    expect(balances).toEqual(tokens.map((_, index) => (index % 2 === 0 ? 1000n : 0n)));
    expect(await chain.tokenBalances([], signer.address)).toEqual([]);
  });

  it('of the coin are whole numbers of wei, however large', async () => {
    expect(await chain.nativeBalance(other)).toBe(parseEther('10000'));
    expect(await chain.nativeBalance('0x00000000000000000000000000000000000000aa')).toBe(0n);
  });
});

describe('approve', () => {
  it.each(['true', 'nothing'] as const)(
    'sets exactly what was asked for, and takes it back (the token answers %s)',
    async (answers) => {
      const address = await deployToken({ answers });
      const spender = dex.contracts.v2Router;
      for (const amount of [123n, 0n, maxUint256, 0n]) {
        await carryOut(chain, signer, chain.approveCall(address, spender, amount));
        expect(await chain.allowance(address, signer.address, spender)).toBe(amount);
      }
    },
  );

  it('from one amount to another is refused beforehand where the token wants zero between them', async () => {
    const address = await deployToken({ answers: 'nothing', approvesFromZeroOnly: true });
    await carryOut(chain, signer, chain.approveCall(address, other, 5n));
    const simulation = await chain.simulate(signer.address, chain.approveCall(address, other, 6n));
    expect(simulation).toEqual({ ok: false, reason: 'it reverts without a reason' });
    await carryOut(chain, signer, chain.approveCall(address, other, 0n));
    await carryOut(chain, signer, chain.approveCall(address, other, 6n));
    expect(await chain.allowance(address, signer.address, other)).toBe(6n);
  });
});

describe('transfer', () => {
  it.each(['true', 'nothing'] as const)('moves a token (it answers %s)', async (answers) => {
    const address = await deployToken({ answers });
    await carryOut(chain, signer, chain.transferCall(address, other, 400n));
    expect([await balance(address, signer.address), await balance(address, other)]).toEqual([600n, 400n]);
  });

  it('moves the coin to the last wei', async () => {
    const before = await chain.nativeBalance(other);
    await carryOut(chain, signer, chain.transferCall('native', other, 1n));
    expect(await chain.nativeBalance(other)).toBe(before + 1n);
  });

  it('of a token that keeps a part is carried out, and less arrives', async () => {
    const address = await deployToken({ feeBps: 1000, supply: 10_000n });
    const had = await balance(address, signer.address);
    await carryOut(chain, signer, chain.transferCall(address, other, 100n));
    expect([await balance(address, signer.address), await balance(address, other)]).toEqual([had - 100n, 90n]);
  });

  it('of more than there is, is refused beforehand', async () => {
    const address = await deployToken();
    const simulation = await chain.simulate(signer.address, chain.transferCall(address, other, 1001n));
    expect(simulation).toEqual({ ok: false, reason: 'balance too low' });
    const coins = await chain.nativeBalance(signer.address);
    expect(await chain.simulate(signer.address, chain.transferCall('native', other, coins + 1n))).toEqual({
      ok: false,
      reason: expect.stringContaining('too little of the chain’s coin'),
    });
  });

  it('is refused beforehand where the token would only answer false', async () => {
    const address = await deployToken({ answers: 'false' });
    const simulation = await chain.simulate(signer.address, chain.transferCall(address, other, 1n));
    expect(simulation).toEqual({ ok: false, reason: expect.stringContaining('answers that it would not do it') });
  });
});

describe('a token that keeps a part of every transfer', () => {
  it('is quoted as if it did not, and a trial tells what would arrive', async () => {
    const address = await dex.builder.deployCode(
      oddTokenCode({ symbol: 'TAX', decimals: 18, supply: parseEther('1000000'), feeBps: 300 }),
    );
    await dex.addV2Pool([address, parseEther('1000')], parseEther('1'));
    await dex.give(address, signer.address, parseEther('100'));
    const quote = await chain.quote({ tokenIn: address, tokenOut: 'native', amountIn: parseEther('10') });
    if (quote === undefined) throw new Error('there is no quote');
    const trial = await chain.trySwap(signer.address, quote, 9_999_999_999);
    if (!trial.ok) throw new Error(trial.reason);
    expect(trial.spent).toBe(quote.amountIn);
    expect(trial.received).toBeLessThan((quote.amountOut * 975n) / 1000n);
    await carryOut(chain, signer, chain.approveCall(address, quote.router, quote.amountIn));
    const before = await chain.nativeBalance(signer.address);
    const terms = { recipient: signer.address, minAmountOut: 1n, deadlineS: 9_999_999_999 };
    const { gasUsed, effectiveGasPrice } = await carryOut(chain, signer, chain.swapCall(quote, terms));
    const after = await chain.nativeBalance(signer.address);
    expect(after + gasUsed * effectiveGasPrice - before).toBe(trial.received);
    // What it says beforehand is a trial: nothing is left of it.
    expect(await chain.allowance(address, signer.address, quote.router)).toBe(0n);
  });
});

describe('the reason of a revert', () => {
  const custom = parseAbi([
    'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    'error Nope(uint256 code)',
  ]);
  const panic = (code: bigint): Hex =>
    `${toFunctionSelector('Panic(uint256)')}${encodeAbiParameters([{ type: 'uint256' }], [code]).slice(2)}`;
  const nope = encodeErrorResult({ abi: custom, errorName: 'Nope', args: [7n] });
  const tooPoor = encodeErrorResult({
    abi: custom,
    errorName: 'ERC20InsufficientBalance',
    args: ['0x00000000000000000000000000000000000000AA', 1n, 2n],
  });

  it.each([
    ['a text', errorText('not today'), 'not today'],
    ['an empty text', errorText(''), 'it reverts without a reason'],
    ['a text with lines in it', errorText('a\n\u202eb\u0000c'), 'a b c'],
    ['a very long text', errorText('x'.repeat(5000)), 'x'.repeat(200)],
    ['a panic', panic(0x11n), '(panic 17): a number grew too large or fell below zero'],
    ['an unknown panic', panic(0x99n), '(panic 153): a fault it has no name for'],
    [
      'a standard error',
      tooPoor,
      'ERC20InsufficientBalance(0x00000000000000000000000000000000000000AA, 1, 2) (the balance',
    ],
    ['a custom error', nope, `the custom error ${nope.slice(0, 10)}`],
    ['nothing', '0x', 'it reverts without a reason'],
    ['a single byte', '0x01', 'the custom error 0x01'],
  ] as const)('is read from %s', async (_name, data, reason) => {
    const echo = await dex.builder.deployCode(ECHO_REVERT);
    const simulation = await chain.simulate(signer.address, { to: echo, valueWei: 0n, data });
    expect(simulation).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('comes through a token that refuses with it', async () => {
    const address = await deployToken({ refusesTransfersWith: errorText('paused until Monday') });
    const simulation = await chain.simulate(signer.address, chain.transferCall(address, other, 1n));
    expect(simulation).toEqual({ ok: false, reason: 'paused until Monday' });
  });
});

describe('a call that works', () => {
  it('has its gas, which is enough', async () => {
    const simulation = await chain.simulate(signer.address, chain.transferCall('native', other, 1n));
    // Some nodes add a little to what they estimate.
    expect(simulation).toEqual({ ok: true, gas: expect.toSatisfy((gas) => gas >= 21_000n && gas < 21_100n) });
  });
});

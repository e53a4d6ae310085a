// Swaps and approvals that would cost more than they say, on a real node with real routers: refused before anything is signed.

import { encodeFunctionData, maxUint160, maxUint256, parseAbi, parseEther } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeySigner } from '../../src/adapters/chains/viem/key-signer.ts';
import type { Address, Hex } from '../../src/wallet/chain.ts';
import { artifact } from '../support/evm/artifacts.ts';
import { type Dex, deployDex } from '../support/evm/dex.ts';
import { type EvmNode, startEvmNode } from '../support/evm/evm-node.ts';
import { oddTokenCode } from '../support/evm/odd-token.ts';
import { openTestChain, prepare, type TestChain } from '../support/evm/test-chain.ts';
import type { Sent } from '../support/gateway.ts';
import { eventually, expectRefusal } from '../webhook/answers.ts';
import { openWalletGateway, type WalletGateway, type WalletGatewayOptions } from './open-wallet-gateway.ts';

const ETHER = 10n ** 18n;
/** A tax of 5 % is covered by this slippage, and by the usual half percent it is not. */
const COVERING = { slippageBps: 600 };

type Terms = readonly [tokenIn: string, tokenOut: string, amountIn: bigint];

let node: EvmNode;
let dex: Dex;
let chain: TestChain;
let gateway: WalletGateway;
let goBack: () => Promise<void>;
let me: Address;
let friend: Address;
/** Keeps 5 % of every transfer; in a v2 pool with ether. */
let taxed: Address;
/** Keeps 5 % of what it pays out; in a v3 pool with ether. */
let taxedPayout: Address;
/** Keeps 99 %; in a v2 pool with ether. */
let robber: Address;

const deploy = (symbol: string, feeBps: number, taxes: 'all' | 'payouts' = 'all'): Promise<Address> =>
  dex.builder.deployCode(oddTokenCode({ symbol, decimals: 18, supply: 10n ** 27n, feeBps, taxes }));
const erc20 = parseAbi(['function approve(address spender, uint256 amount)']);

beforeAll(async () => {
  node = await startEvmNode();
  dex = await deployDex(node);
  [me, friend] = [node.accounts[1].address, node.accounts[2].address];
  [taxed, robber, taxedPayout] = [
    await deploy('TAX', 500),
    await deploy('ROB', 9900),
    await deploy('PAY', 500, 'payouts'),
  ];
  await dex.addV2Pool([taxed, parseEther('100000')], parseEther('100'));
  await dex.addV2Pool([robber, parseEther('10000000')], parseEther('100'));
  await dex.builder.call(taxedPayout, erc20, 'approve', [dex.contracts.v3Manager, maxUint256]);
  await dex.addV3Pool(3000, [taxedPayout, parseEther('100000')], [dex.contracts.weth, parseEther('100')]);
  await dex.give(dex.tokens.usdc, me, 10_000_000_000n);
  await dex.give(taxed, me, parseEther('2000'));
}, 60_000);

const open = async (options: WalletGatewayOptions = {}): Promise<void> => {
  gateway = await openWalletGateway({
    chains: { ethereum: chain },
    signer: createKeySigner(node.accounts[1].privateKey),
    ...options,
  });
};
beforeEach(async () => {
  goBack = await node.snapshot();
  chain = openTestChain(node, { dex });
  await open();
});
afterEach(async () => {
  await gateway.close();
  await node.autoMine(true);
  await goBack();
});
afterAll(() => node?.kill());

const ask = (operation: string, body: object): Promise<Sent> => gateway.ask(operation, body);
const swap = (tokenIn: string, tokenOut: string, amountIn: bigint, more: object = {}): Promise<Sent> =>
  ask('swap', { tokenIn, tokenOut, amountIn: String(amountIn), ...more });
const signed = async (): Promise<number> => (await ask('transactions', {})).body.result.length;
const balance = async (token: Address): Promise<bigint> => (await chain.tokenBalances([token], me))[0] as bigint;
async function confirmed(hash: Hex): Promise<Sent['body']> {
  const look = async () => {
    await node.mine(3);
    await gateway.wallet.look();
    return (await ask('transactions', { hash })).body.result;
  };
  await eventually(look, ({ status }) => status === 'Confirmed');
  return look();
}

describe('a token that keeps a part of every transfer', () => {
  it.each([
    ['bought over v2', (): Terms => ['native', taxed, ETHER]],
    ['bought over v2 for next to nothing', (): Terms => ['native', robber, ETHER]],
    ['bought over v3', (): Terms => ['native', taxedPayout, ETHER]],
    ['sold over v2', (): Terms => [taxed, 'native', parseEther('1000')]],
    ['sold over v2 for another token', (): Terms => [taxed, dex.tokens.usdc, parseEther('1000')]],
  ] as const)('is not %s below the bound: not even an approval is signed', async (_name, terms) => {
    const [tokenIn, tokenOut, amountIn] = terms();
    const refused = await swap(tokenIn, tokenOut, amountIn);
    expectRefusal(refused, 'SWAP_REFUSED');
    expect(refused.body.error).toMatch(/only \d+ of the \d+ quoted would arrive, less than \d+/);
    expect(await signed()).toBe(0);
  });

  it.each([
    ['v2', () => taxed],
    ['v3', () => taxedPayout],
  ] as const)(
    'is bought over %s when the slippage covers it, and the answer says what came out',
    async (_name, token) => {
      const before = await balance(token());
      const { amountOut: quoted } = (
        await ask('quote', { tokenIn: 'native', tokenOut: token(), amountIn: String(ETHER) })
      ).body.result;
      const bought = await swap('native', token(), ETHER, COVERING);
      expect([bought.status, bought.body.error]).toEqual([200, undefined]);
      const { amountOut, error } = await confirmed(bought.body.result.hash);
      expect(BigInt(amountOut)).toBe((await balance(token())) - before);
      expect(BigInt(amountOut)).toBe((BigInt(quoted) * 95n) / 100n);
      expect(error).toBeNull();
    },
  );

  it('is sold when the slippage covers it', async () => {
    const sold = await swap(taxed, 'native', parseEther('1000'), COVERING);
    expect([sold.status, sold.body.error]).toEqual([200, undefined]);
    const { amountOut, details } = await confirmed(sold.body.result.hash);
    expect(BigInt(amountOut)).toBeGreaterThanOrEqual(BigInt(details.minAmountOut));
    expect(BigInt(amountOut)).toBeLessThan(BigInt(details.quotedAmountOut));
  });
});

describe('a confirmed swap', () => {
  it('says what came out: exactly what was quoted, of a token and of the coin', async () => {
    for (const [tokenIn, tokenOut, amountIn] of [
      ['native', dex.tokens.usdc, ETHER],
      [dex.tokens.usdc, 'native', 1_000_000n],
      [dex.tokens.usdc, dex.tokens.usdt, 1_000_000n],
    ] as const) {
      const swapped = await swap(tokenIn, tokenOut, amountIn);
      expect([swapped.status, swapped.body.result.amountOut]).toEqual([200, null]);
      const { amountOut, details } = await confirmed(swapped.body.result.hash);
      expect(amountOut).toBe(details.quotedAmountOut);
    }
  });
});

describe('the price impact', () => {
  const large = 60n * ETHER;

  it('is in the quote, and above 3 % nothing is signed', async () => {
    await gateway.close();
    await open({ rules: { maxPriceImpactBps: 300 } });
    const quote = async (amountIn: bigint): Promise<number> =>
      (await ask('quote', { tokenIn: 'native', tokenOut: dex.tokens.usdc, amountIn: String(amountIn) })).body.result
        .priceImpactBps;
    expect(await quote(ETHER)).toBeLessThan(20);
    // 60 into a pool of 1000: what comes out is about 1000/1060 of the price before.
    expect(await quote(large)).toBeGreaterThan(540);
    expect(await quote(large)).toBeLessThan(580);
    const refused = await swap('native', dex.tokens.usdc, large);
    expectRefusal(refused, 'SWAP_REFUSED');
    expect(refused.body.error).toContain('WALLET_MAX_PRICE_IMPACT_BPS');
    expect(await signed()).toBe(0);
    expect((await swap('native', dex.tokens.usdc, ETHER)).status).toBe(200);
  });
});

describe('an approval', () => {
  it('is not made for a swap of more than there is', async () => {
    const refused = await swap(dex.tokens.usdc, 'native', 10_000_000_001n);
    expectRefusal(refused, 'TRANSACTION_WOULD_REVERT');
    expect(refused.body.error).toContain('holds 10000000000');
    expect(await signed()).toBe(0);
  });

  it('whose swap does not follow is named with its allowance, and taken back', async () => {
    const { dai } = dex.tokens;
    await dex.give(dai, me, ETHER);
    await node.autoMine(false);
    const asked = swap(dai, 'native', ETHER);
    await eventually(signed, (count) => count === 1);
    // Somebody sells a great deal before the approval is mined.
    const whale = createKeySigner(node.accounts[0].privateKey);
    const quote = await chain.quote({ tokenIn: dai, tokenOut: 'native', amountIn: 100_000n * ETHER });
    if (quote === undefined) throw new Error('the pool is gone');
    const terms = { recipient: whale.address, minAmountOut: 1n, deadlineS: Math.floor(Date.now() / 1000) + 6000 };
    await chain.send(await prepare(chain, whale, chain.swapCall(quote, terms)));
    await node.mine();
    const refused = await asked;
    expect([refused.status, refused.body.code]).toEqual([422, 'SWAP_REFUSED']);
    const { hash, details } = refused.body.result;
    expect(details).toMatchObject({ amount: String(ETHER), forSwap: true });
    expect(refused.body.error).toContain(`the approval ${hash} of ${ETHER} for ${details.spender} is in a block; 0x`);
    expect(await chain.allowance(dai, me, details.spender)).toBe(ETHER);
    await node.mine();
    expect(await chain.allowance(dai, me, details.spender)).toBe(0n);
    expect(await balance(dai)).toBe(ETHER);
  });

  it('without limit is refused in every form', async () => {
    const { usdc } = dex.tokens;
    const raw = (to: Address, signature: string, args: readonly unknown[]): Promise<Sent> =>
      ask('send', { to, data: encodeFunctionData({ abi: parseAbi([signature] as string[]), args } as never) });
    const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
    for (const sent of [
      await ask('approve', { token: usdc, spender: friend, amount: String(2n ** 128n - 1n) }),
      await ask('approve', { token: usdc, spender: friend, amount: '10000000001' }),
      await raw(usdc, 'function increaseAllowance(address spender, uint256 amount)', [friend, 10_000_000_001n]),
      await raw(usdc, 'function setApprovalForAll(address operator, bool approved)', [friend, true]),
      await raw(permit2, 'function approve(address token, address spender, uint160 amount, uint48 expiration)', [
        ...[usdc, friend, maxUint160, 2 ** 40],
      ]),
    ])
      expectRefusal(sent, 'WALLET_POLICY');
    expect((await ask('approve', { token: usdc, spender: friend, amount: '10000000000' })).status).toBe(200);
  });
});

describe('the allowlist', () => {
  const v2Swap = (recipient: Address): Hex =>
    encodeFunctionData({
      abi: artifact('UniswapV2Router02').abi,
      functionName: 'swapExactETHForTokens',
      args: [1n, [dex.contracts.weth, dex.tokens.usdc], recipient, 2n ** 40n],
    });
  const v3Swap = (recipient: Address): Hex => {
    const { abi } = artifact('SwapRouter');
    const params = {
      ...{ tokenIn: dex.contracts.weth, tokenOut: dex.tokens.usdc, fee: 3000, recipient, deadline: 2n ** 40n },
      ...{ amountIn: ETHER, amountOutMinimum: 1n, sqrtPriceLimitX96: 0n },
    };
    const steps = [
      encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [params] }),
      encodeFunctionData({ abi, functionName: 'refundETH' }),
    ];
    return encodeFunctionData({ abi, functionName: 'multicall', args: [steps] });
  };

  it('covers who receives inside calls of the routers, and the own account is on it', async () => {
    const { v2Router, v3Router, weth } = dex.contracts;
    await gateway.close();
    await open({ rules: { allowedContracts: new Set([v2Router, v3Router, weth, dex.tokens.usdc]) } });
    for (const [to, dataFor] of [
      [v2Router, v2Swap],
      [v3Router, v3Swap],
    ] as const) {
      const stolen = await ask('send', { to, value: String(ETHER), data: dataFor(friend) });
      expectRefusal(stolen, 'WALLET_POLICY');
      expect(stolen.body.error).toContain(friend);
      const own = await ask('send', { to, value: String(ETHER), data: dataFor(me) });
      expect([own.status, own.body.error]).toEqual([200, undefined]);
    }
    expect((await chain.tokenBalances([dex.tokens.usdc], friend))[0]).toBe(0n);
  });
});

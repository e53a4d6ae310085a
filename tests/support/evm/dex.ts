// Real Uniswap V2 and V3 on a test network, with wrapped ether, three tokens of different make, and liquidity between them.

import { maxUint256, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem';
import type { Address } from '../../../src/wallet/chain.ts';
import { artifact } from './artifacts.ts';
import { type Builder, builderOn } from './builder.ts';
import type { EvmNode } from './evm-node.ts';
import { oddTokenCode } from './odd-token.ts';

/** What a chain adapter is told in place of the real addresses. */
export interface DexContracts {
  readonly weth: Address;
  readonly v2Router: Address;
  readonly v3Router: Address;
  readonly v3Quoter: Address;
  /** Takes liquidity in; only tests use it. */
  readonly v3Manager: Address;
}

export interface Dex {
  readonly contracts: DexContracts;
  /**
   * Ether costs 2000 of each. Pools: v2 WETH/USDC and WETH/DAI; v3 WETH/USDC 0.3 % (a tenth of the v2 one),
   * WETH/USDT 0.05 %, WETH/DAI 1 % (small) and USDC/USDT 0.01 %.
   */
  readonly tokens: {
    /** 6 decimals. */
    readonly usdc: Address;
    /** 18 decimals. */
    readonly dai: Address;
    /** 6 decimals; answers nothing to transfer and approve, and changes an allowance only from or to zero. */
    readonly usdt: Address;
    /** 18 decimals, in no pool. */
    readonly lonely: Address;
  };
  /** Deploys and calls in the name of the first account, which owns what is left of every token. */
  readonly builder: Builder;
  /** Hands out tokens of the first account. */
  give(token: Address, to: Address, amount: bigint): Promise<void>;
  /** A further v3 pool of the first account's tokens, priced as its two sides are; `ticks` makes it narrow around one to one. */
  addV3Pool(fee: number, a: Side, b: Side, ticks?: number): Promise<void>;
  /** A v2 pool of `token`, any the first account has, and wrapped ether. */
  addV2Pool(token: Side, weth: bigint): Promise<void>;
}

export type Side = readonly [token: Address, amount: bigint];

export const ERC20_ABI = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function deposit() payable',
]);
const BILLION = 1_000_000_000n;
/** The whole range of prices, rounded to the spacing of the ticks that goes with the fee. */
const MAX_TICK = 887_272;
const TICK_SPACING: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };
const SUPPLY = BILLION * 10n ** 18n;

export async function deployDex({ rpc, accounts }: EvmNode): Promise<Dex> {
  const builder = builderOn(rpc, accounts[0].address);
  const weth = await builder.deploy(artifact('WETH9'));
  const usdc = await builder.deployCode(oddTokenCode({ symbol: 'USDC', decimals: 6, supply: SUPPLY }));
  const dai = await builder.deployCode(oddTokenCode({ symbol: 'DAI', decimals: 18, supply: SUPPLY }));
  const lonely = await builder.deployCode(oddTokenCode({ symbol: 'LONELY', decimals: 18, supply: SUPPLY }));
  const usdt = await builder.deployCode(
    oddTokenCode({ symbol: 'USDT', decimals: 6, supply: SUPPLY, answers: 'nothing', approvesFromZeroOnly: true }),
  );
  await builder.call(weth, ERC20_ABI, 'deposit', [], parseEther('4000'));
  const eth = parseEther;
  const six = (amount: string): bigint => parseUnits(amount, 6);

  const v2Factory = await builder.deploy(artifact('UniswapV2Factory'), [zeroAddress]);
  const v2Router = await builder.deploy(artifact('UniswapV2Router02'), [v2Factory, weth]);
  const v3Factory = await builder.deploy(artifact('UniswapV3Factory'));
  const v3Router = await builder.deploy(artifact('SwapRouter'), [v3Factory, weth]);
  const v3Quoter = await builder.deploy(artifact('QuoterV2'), [v3Factory, weth]);
  const manager = await builder.deploy(artifact('NonfungiblePositionManager'), [v3Factory, weth, zeroAddress]);
  // The pool of the lowest fee came later than the others, by a decision of the holders.
  await builder.call(v3Factory, artifact('UniswapV3Factory').abi, 'enableFeeAmount', [100, 1]);
  for (const token of [weth, usdc, dai, usdt, lonely])
    for (const spender of [v2Router, manager]) await builder.call(token, ERC20_ABI, 'approve', [spender, maxUint256]);

  await addV2(builder, v2Router, [weth, eth('1000')], [usdc, six('2000000')]);
  await addV2(builder, v2Router, [weth, eth('500')], [dai, eth('1000000')]);
  await addV3(builder, manager, 3000, [weth, eth('100')], [usdc, six('200000')]);
  await addV3(builder, manager, 500, [weth, eth('1000')], [usdt, six('2000000')]);
  await addV3(builder, manager, 10_000, [weth, eth('10')], [dai, eth('20000')]);
  await addV3(builder, manager, 100, [usdc, six('1000000')], [usdt, six('1000000')]);
  return {
    contracts: { weth, v2Router, v3Router, v3Quoter, v3Manager: manager },
    tokens: { usdc, dai, usdt, lonely },
    builder,
    give: (token, to, amount) => builder.call(token, ERC20_ABI, 'transfer', [to, amount]),
    async addV2Pool(side, amount) {
      await builder.call(side[0], ERC20_ABI, 'approve', [v2Router, side[1]]);
      await addV2(builder, v2Router, side, [weth, amount]);
    },
    addV3Pool: (fee, a, b, ticks) => addV3(builder, manager, fee, a, b, ticks),
  };
}

async function addV2({ call, from }: Builder, router: Address, a: Side, b: Side): Promise<void> {
  const args = [a[0], b[0], a[1], b[1], 0n, 0n, from, maxUint256];
  await call(router, artifact('UniswapV2Router02').abi, 'addLiquidity', args);
}

async function addV3(
  { call, from }: Builder,
  manager: Address,
  fee: number,
  a: Side,
  b: Side,
  ticks = MAX_TICK,
): Promise<void> {
  const { abi } = artifact('NonfungiblePositionManager');
  const [low, high] = BigInt(a[0]) < BigInt(b[0]) ? [a, b] : [b, a];
  const sqrtPriceX96 = squareRoot(((high[1] << 96n) << 96n) / low[1]);
  await call(manager, abi, 'createAndInitializePoolIfNecessary', [low[0], high[0], fee, sqrtPriceX96]);
  const spacing = TICK_SPACING[fee] ?? 1;
  const tickUpper = Math.floor(ticks / spacing) * spacing;
  const position = {
    token0: low[0],
    token1: high[0],
    fee,
    tickLower: -tickUpper,
    tickUpper,
    amount0Desired: low[1],
    amount1Desired: high[1],
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: from,
    deadline: maxUint256,
  };
  await call(manager, abi, 'mint', [position]);
}

function squareRoot(value: bigint): bigint {
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

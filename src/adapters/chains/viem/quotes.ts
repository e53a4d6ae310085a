// Quotes of Uniswap V2 and V3, direct and through the wrapped coin: the one with the most at the end wins.

import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { Address, Hex, SwapQuote, TokenRef } from '../../../wallet/chain.ts';
import { V2_ROUTER_ABI, V3_QUOTER_ABI } from './abis.ts';
import type { Endpoints } from './endpoints.ts';
import type { DexContracts } from './networks.ts';
import { NodeRefusal } from './rpc-answer.ts';
import { callQuestion } from './tokens.ts';

export type QuoteAsk = Pick<SwapQuote, 'tokenIn' | 'tokenOut' | 'amountIn'>;
type Route = Pick<SwapQuote, 'amountOut' | 'router' | 'protocol' | 'path' | 'feesPath'>;

/** The pools that can exist between two tokens, by their fee in hundredths of a basis point. */
const FEE_TIERS = [100, 500, 3000, 10_000] as const;
/** Where the price stands when a pool ran dry on the way: the rest of what was paid in would not be traded. */
const DRY_PRICES = [4_295_128_740n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n];

interface Hop {
  readonly fee: number;
  readonly amountOut: bigint;
}

/** One call to a contract and how its answer is read; undefined where no pool can do it. */
interface Probe<T> {
  readonly to: Address;
  readonly data: Hex;
  read(answer: Hex): T | undefined;
}

export function createQuotes(contracts: DexContracts, endpoints: Endpoints) {
  const { weth, v2Router, v3Router, v3Quoter } = contracts;
  const addressOf = (token: TokenRef): Address => (token === 'native' ? weth : token);

  /** All in one request, so that they speak of one moment as far as an endpoint can. */
  async function probeAll<T>(probes: readonly Probe<T>[]): Promise<readonly (T | undefined)[]> {
    if (probes.length === 0) return [];
    const answers = await endpoints.askTogether(probes.map(({ to, data }) => callQuestion(to, data)));
    return probes.map(({ read }, index) => {
      const answer = answers[index];
      if (answer instanceof NodeRefusal || typeof answer !== 'string') return undefined;
      try {
        return read(answer as Hex);
      } catch {
        // No contract there, or another one.
        return undefined;
      }
    });
  }

  const v2Probe = (amountIn: bigint, path: readonly Address[]): Probe<Route>[] => {
    if (v2Router === undefined) return [];
    const read = (data: Hex): Route | undefined => {
      const amounts = decodeFunctionResult({ abi: V2_ROUTER_ABI, functionName: 'getAmountsOut', data });
      const amountOut = amounts.at(-1) ?? 0n;
      return { amountOut, router: v2Router, protocol: 'uniswap-v2', path, feesPath: [] };
    };
    const data = encodeFunctionData({ abi: V2_ROUTER_ABI, functionName: 'getAmountsOut', args: [amountIn, path] });
    return [{ to: v2Router, data, read }];
  };

  const v3Probes = (
    amountIn: bigint,
    tokenIn: Address,
    tokenOut: Address,
    fees: readonly number[] = FEE_TIERS,
  ): Probe<Hop>[] => {
    if (v3Quoter === undefined || v3Router === undefined) return [];
    return fees.map((fee) => ({
      to: v3Quoter,
      data: encodeFunctionData({
        abi: V3_QUOTER_ABI,
        functionName: 'quoteExactInputSingle',
        args: [{ tokenIn, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n }],
      }),
      read(answer) {
        const abi = V3_QUOTER_ABI;
        const [amountOut, priceAfter] = decodeFunctionResult({
          abi,
          functionName: 'quoteExactInputSingle',
          data: answer,
        });
        return DRY_PRICES.includes(priceAfter) ? undefined : { fee, amountOut };
      },
    }));
  };

  const v3Route = (path: readonly Address[], hops: readonly Hop[]): Route => ({
    amountOut: hops.at(-1)?.amountOut ?? 0n,
    router: v3Router as Address,
    protocol: 'uniswap-v3',
    path,
    feesPath: hops.map(({ fee }) => fee),
  });

  /** Two hops are two pools: what gives the most in the first gives the most in the second, so 8 questions do for 16 ways. */
  async function secondHop(tokenIn: Address, tokenOut: Address, first: Hop | undefined): Promise<Route[]> {
    if (first === undefined) return [];
    const second = best(await probeAll(v3Probes(first.amountOut, weth, tokenOut)));
    return second === undefined ? [] : [v3Route([tokenIn, weth, tokenOut], [first, second])];
  }

  /** What another amount would bring on the same way. */
  async function outOn({ protocol, path, feesPath }: Route, amountIn: bigint): Promise<bigint> {
    if (protocol === 'uniswap-v2') return (await probeAll(v2Probe(amountIn, path)))[0]?.amountOut ?? 0n;
    let amount = amountIn;
    for (const [index, fee] of feesPath.entries()) {
      const [from, to] = path.slice(index) as [Address, Address];
      const [hop] = await probeAll(v3Probes(amount, from, to, [fee]));
      amount = hop?.amountOut ?? 0n;
    }
    return amount;
  }

  return async function quote({ tokenIn, tokenOut, amountIn }: QuoteAsk): Promise<SwapQuote | undefined> {
    const from = addressOf(tokenIn);
    const to = addressOf(tokenOut);
    if (amountIn <= 0n || from === to) return undefined;
    const hasDetour = from !== weth && to !== weth;
    const v2 = [...v2Probe(amountIn, [from, to]), ...(hasDetour ? v2Probe(amountIn, [from, weth, to]) : [])];
    const direct = v3Probes(amountIn, from, to);
    const detour = hasDetour ? v3Probes(amountIn, from, weth) : [];
    const answers = await probeAll<Route | Hop>([...v2, ...direct, ...detour]);
    const routes = answers.slice(0, v2.length) as (Route | undefined)[];
    const hops = answers.slice(v2.length) as (Hop | undefined)[];
    const straight = best(hops.slice(0, direct.length));
    const won = best([
      ...routes,
      ...(straight === undefined ? [] : [v3Route([from, to], [straight])]),
      ...(await secondHop(from, to, best(hops.slice(direct.length)))),
    ]);
    if (won === undefined) return undefined;
    const priceImpactBps = await priceImpact(amountIn, won.amountOut, (amount) => outOn(won, amount));
    return { tokenIn, tokenOut, amountIn, ...won, priceImpactBps };
  };
}

/** How small the amount is that shows the price before the swap; larger ones where the small one brings too few units. */
const SMALL_PARTS = [1000n, 100n, 10n];
/** So many units tell a price to a tenth of a percent. */
const TELLING_UNITS = 1000n;
const BPS = 10_000n;

/** By how much worse the whole amount is traded than a small part of it, the pool's fee left out since both pay it. */
async function priceImpact(
  amountIn: bigint,
  amountOut: bigint,
  outOf: (amountIn: bigint) => Promise<bigint>,
): Promise<number | undefined> {
  let impact: number | undefined;
  for (const part of SMALL_PARTS) {
    const small = amountIn / part;
    const out = small === 0n ? 0n : await outOf(small);
    if (out === 0n) continue;
    const ideal = (out * amountIn) / small;
    impact = ideal <= amountOut ? 0 : Number(((ideal - amountOut) * BPS) / ideal);
    if (out >= TELLING_UNITS) break;
  }
  return impact;
}

/** The first of the best, so that equal offers always give the same answer; nothing is worth zero. */
function best<T extends { readonly amountOut: bigint }>(offers: readonly (T | undefined)[]): T | undefined {
  let won: T | undefined;
  for (const offer of offers) if (offer !== undefined && offer.amountOut > (won?.amountOut ?? 0n)) won = offer;
  return won;
}

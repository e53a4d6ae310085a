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

export class Quotes {
  readonly #contracts: DexContracts;
  readonly #endpoints: Pick<Endpoints, 'askTogether'>;

  constructor(contracts: DexContracts, endpoints: Pick<Endpoints, 'askTogether'>) {
    this.#contracts = contracts;
    this.#endpoints = endpoints;
  }

  /** The way that brings the most; undefined where no pool can do it. */
  async best({ tokenIn, tokenOut, amountIn }: QuoteAsk): Promise<SwapQuote | undefined> {
    const from = this.#addressOf(tokenIn);
    const to = this.#addressOf(tokenOut);
    if (amountIn <= 0n || from === to) return undefined;
    const won = await this.#bestRoute(from, to, amountIn);
    if (won === undefined) return undefined;
    const priceImpactBps = await priceImpact(amountIn, won.amountOut, (amount) => this.#outOn(won, amount));
    return { tokenIn, tokenOut, amountIn, ...won, priceImpactBps };
  }

  async #bestRoute(from: Address, to: Address, amountIn: bigint): Promise<Route | undefined> {
    const { weth } = this.#contracts;
    const hasDetour = from !== weth && to !== weth;
    const v2Paths = hasDetour
      ? [
          [from, to],
          [from, weth, to],
        ]
      : [[from, to]];
    const v2 = v2Paths.flatMap((path) => this.#v2Probe(amountIn, path));
    const direct = this.#v3Probes(amountIn, from, to);
    const detour = hasDetour ? this.#v3Probes(amountIn, from, weth) : [];
    const answers = await this.#probeAll<Route | Hop>([...v2, ...direct, ...detour]);
    const routes = answers.slice(0, v2.length) as (Route | undefined)[];
    const hops = answers.slice(v2.length) as (Hop | undefined)[];
    const straight = largest(hops.slice(0, direct.length));
    return largest([
      ...routes,
      ...(straight === undefined ? [] : [this.#v3Route([from, to], [straight])]),
      ...(await this.#secondHop(from, to, largest(hops.slice(direct.length)))),
    ]);
  }

  #addressOf(token: TokenRef): Address {
    return token === 'native' ? this.#contracts.weth : token;
  }

  /** All in one request, so that they speak of one moment as far as an endpoint can. */
  async #probeAll<T>(probes: readonly Probe<T>[]): Promise<readonly (T | undefined)[]> {
    if (probes.length === 0) return [];
    const answers = await this.#endpoints.askTogether(probes.map(({ to, data }) => callQuestion(to, data)));
    return probes.map(({ read }, index) => {
      const answer = answers[index];
      if (answer instanceof NodeRefusal || typeof answer !== 'string') return undefined;
      try {
        return read(answer as Hex);
      } catch {
        // There is no contract at this address, or another one.
        return undefined;
      }
    });
  }

  /** None where the chain has no such router. */
  #v2Probe(amountIn: bigint, path: readonly Address[]): Probe<Route>[] {
    const { v2Router } = this.#contracts;
    if (v2Router === undefined) return [];
    const read = (data: Hex): Route | undefined => {
      const amounts = decodeFunctionResult({ abi: V2_ROUTER_ABI, functionName: 'getAmountsOut', data });
      const amountOut = amounts.at(-1) ?? 0n;
      return { amountOut, router: v2Router, protocol: 'uniswap-v2', path, feesPath: [] };
    };
    const data = encodeFunctionData({ abi: V2_ROUTER_ABI, functionName: 'getAmountsOut', args: [amountIn, path] });
    return [{ to: v2Router, data, read }];
  }

  /** One for each pool that can exist between the two; none where the chain has no such router. */
  #v3Probes(amountIn: bigint, tokenIn: Address, tokenOut: Address, fees: readonly number[] = FEE_TIERS): Probe<Hop>[] {
    const { v3Router, v3Quoter } = this.#contracts;
    if (v3Quoter === undefined || v3Router === undefined) return [];
    const call = { abi: V3_QUOTER_ABI, functionName: 'quoteExactInputSingle' } as const;
    return fees.map((fee) => ({
      to: v3Quoter,
      data: encodeFunctionData({ ...call, args: [{ tokenIn, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n }] }),
      read(data) {
        const [amountOut, priceAfter] = decodeFunctionResult({ ...call, data });
        return DRY_PRICES.includes(priceAfter) ? undefined : { fee, amountOut };
      },
    }));
  }

  #v3Route(path: readonly Address[], hops: readonly Hop[]): Route {
    return {
      amountOut: hops.at(-1)?.amountOut ?? 0n,
      router: this.#contracts.v3Router as Address,
      protocol: 'uniswap-v3',
      path,
      feesPath: hops.map(({ fee }) => fee),
    };
  }

  /**
   * The way over the wrapped coin. Its two pools do not depend on each other: the one that gives the most first also
   * leaves the most for the second, so 8 questions do for the 16 ways there are.
   */
  async #secondHop(tokenIn: Address, tokenOut: Address, first: Hop | undefined): Promise<Route[]> {
    if (first === undefined) return [];
    const { weth } = this.#contracts;
    const second = largest(await this.#probeAll(this.#v3Probes(first.amountOut, weth, tokenOut)));
    return second === undefined ? [] : [this.#v3Route([tokenIn, weth, tokenOut], [first, second])];
  }

  /** What another amount would bring on the same way. */
  async #outOn({ protocol, path, feesPath }: Route, amountIn: bigint): Promise<bigint> {
    if (protocol === 'uniswap-v2') return (await this.#probeAll(this.#v2Probe(amountIn, path)))[0]?.amountOut ?? 0n;
    let amount = amountIn;
    for (const [index, fee] of feesPath.entries()) {
      const [from, to] = path.slice(index) as [Address, Address];
      const [hop] = await this.#probeAll(this.#v3Probes(amount, from, to, [fee]));
      amount = hop?.amountOut ?? 0n;
    }
    return amount;
  }
}

/** How small the amount is that shows the price before the swap; larger ones where the small one brings too few units. */
const SMALL_PARTS = [1000n, 100n, 10n];
/** An answer of so many units tells the price to a tenth of a percent. */
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

/** The offer with the most, the first of them where several are equal, so that the answer is always the same. Zero is no offer. */
function largest<T extends { readonly amountOut: bigint }>(offers: readonly (T | undefined)[]): T | undefined {
  let won: T | undefined;
  for (const offer of offers) if (offer !== undefined && offer.amountOut > (won?.amountOut ?? 0n)) won = offer;
  return won;
}

// The functions of Uniswap's routers: who receives, every token on the way, what is paid, and what stays in the router.
//
// Whatever a router holds when a transaction ends belongs to whoever asks for it next. The first V3 router means itself
// by the recipient 0; the second (SwapRouter02) means its caller by 1 and itself by 2. Elsewhere these are addresses
// like any other. Both take coins with every function and hand back what they did not use only in refundETH().

import type { AbiValue } from './abi.ts';
import {
  addressOf,
  amountOf,
  type CallContents,
  listOf,
  type Read,
  type RouterBalance,
} from './call-contents-parts.ts';
import type { Address, Hex } from './chain.ts';

/** V2 and V3 routers of the three chains. */
export const SWAP_ROUTERS: ReadonlySet<Address> = new Set<Address>([
  // V2, on each chain
  '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
  '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
  '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
  // SwapRouter and SwapRouter02, on all
  '0xE592427A0AEce92De3Edee1F18E0157C05861564',
  '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
]);

type Words = Readonly<Record<string, 'router' | 'caller'>>;
const NO_WORDS: Words = {};
const FIRST_ROUTER: Words = { '0': 'router' };
const SECOND_ROUTER: Words = { '1': 'caller', '2': 'router' };

/** Who gets a token: somebody, the caller, or the router itself, where it stays. */
function received(recipient: AbiValue | undefined, token: Address, to: Address, words: Words): Partial<CallContents> {
  const address = addressOf(recipient);
  const meaning = address === to ? 'router' : words[String(BigInt(address))];
  if (meaning === 'caller') return {};
  return meaning === 'router' ? { routerBalances: [{ token, stays: true }] } : { parties: [address] };
}

/** A swap over a list of tokens: who receives, and, where tokens are paid, how many of the first. */
const v2 =
  (path: number, recipient: number, amountIn?: number, words = NO_WORDS): Read =>
  (args, to) => {
    const tokens = listOf(args[path]).map(addressOf);
    return {
      tokens,
      spends: amountIn === undefined ? [] : [{ token: first(tokens), amount: amountOf(args[amountIn]) }],
      ...received(args[recipient], last(tokens), to, words),
    };
  };
/** Liquidity of a V2 router: who receives, the tokens of the pool, and how much of which is paid in. */
const liquidity =
  (
    recipient: number,
    tokens: readonly number[],
    ...pairs: readonly (readonly [token: number, amount: number])[]
  ): Read =>
  (args, to) => ({
    tokens: tokens.map((place) => addressOf(args[place])),
    spends: pairs.map(([token, amount]) => ({ token: addressOf(args[token]), amount: amountOf(args[amount]) })),
    ...received(args[recipient], addressOf(args[0]), to, NO_WORDS),
  });

type Way = (params: readonly AbiValue[]) => readonly Address[];
/** A swap of a V3 router, whose arguments are one tuple. */
const v3 =
  (words: Words, recipient: number, amountIn: number, wayOf: Way): Read =>
  ([params], to) => {
    const tokens = wayOf(listOf(params));
    return {
      tokens,
      spends: [{ token: first(tokens), amount: amountOf(listOf(params)[amountIn]) }],
      ...received(listOf(params)[recipient], last(tokens), to, words),
    };
  };
const named: Way = ([tokenIn, tokenOut]) => [addressOf(tokenIn), addressOf(tokenOut)];
/** Token, fee, token, without a space between: anything that does not fit is no path. */
const PACKED_PATH = /^0x[0-9a-f]{40}([0-9a-f]{46})+$/i;
const PACKED_ADDRESS_CHARS = 40;
const PACKED_HOP_CHARS = 46;
export function packedPath(hex: Hex): readonly Address[] {
  if (!PACKED_PATH.test(hex)) throw new Error('the path is no path');
  const hops = Math.floor(hex.length / PACKED_HOP_CHARS) + 1;
  return Array.from({ length: hops }, (_, hop) => {
    const start = 2 + hop * PACKED_HOP_CHARS;
    return addressOf(BigInt(`0x${hex.slice(start, start + PACKED_ADDRESS_CHARS)}`));
  });
}
const packed: Way = ([path]) => packedPath(path as Hex);
/** For an exact amount out the path is told from its end. */
const packedBackwards: Way = (params) => packed(params).toReversed();

const first = (tokens: readonly Address[]): Address => at(tokens, 0);
const last = (tokens: readonly Address[]): Address => at(tokens, -1);
function at(tokens: readonly Address[], place: number): Address {
  const token = tokens.at(place);
  if (token === undefined) throw new Error('a path without tokens');
  return token;
}

/** All the router holds of a token goes to somebody; what goes to the router itself stays there. */
function handOut(token: RouterBalance['token'], receivers: readonly (AbiValue | undefined)[], to: Address) {
  const parties = receivers.map(addressOf);
  return { parties, routerBalances: [{ token, stays: parties.includes(to) }] };
}
const sweep =
  (...receivers: readonly number[]): Read =>
  (args, to) => {
    const token = addressOf(args[0]);
    return {
      tokens: [token],
      ...handOut(
        token,
        receivers.map((place) => args[place]),
        to,
      ),
    };
  };
const unwrap =
  (...receivers: readonly number[]): Read =>
  (args, to) =>
    handOut(
      'wrapped',
      receivers.map((place) => args[place]),
      to,
    );

const V2_ARGUMENTS = '(uint256,uint256,address[],address,uint256)';
const V2_COIN_ARGUMENTS = '(uint256,address[],address,uint256)';

/** Routers that take coins only where they use them, and hand back the rest. */
export const V2_READERS: Readonly<Record<string, Read>> = {
  [`swapExactTokensForTokens${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapExactTokensForTokensSupportingFeeOnTransferTokens${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapExactTokensForETH${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapExactTokensForETHSupportingFeeOnTransferTokens${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapTokensForExactTokens${V2_ARGUMENTS}`]: v2(2, 3, 1),
  [`swapTokensForExactETH${V2_ARGUMENTS}`]: v2(2, 3, 1),
  [`swapExactETHForTokens${V2_COIN_ARGUMENTS}`]: v2(1, 2),
  [`swapExactETHForTokensSupportingFeeOnTransferTokens${V2_COIN_ARGUMENTS}`]: v2(1, 2),
  [`swapETHForExactTokens${V2_COIN_ARGUMENTS}`]: v2(1, 2),
  'addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)': liquidity(6, [0, 1], [0, 2], [1, 3]),
  'addLiquidityETH(address,uint256,uint256,uint256,address,uint256)': liquidity(4, [0], [0, 1]),
  'removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)': liquidity(5, [0, 1]),
  'removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)': liquidity(4, [0]),
  'removeLiquidityETHSupportingFeeOnTransferTokens(address,uint256,uint256,uint256,address,uint256)': liquidity(4, [0]),
};

/** Of the V3 routers, the first with a deadline in the tuple and the second without: every one may be sent coins. */
export const V3_READERS: Readonly<Record<string, Read>> = {
  'exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))': v3(FIRST_ROUTER, 3, 5, named),
  'exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))': v3(SECOND_ROUTER, 3, 4, named),
  'exactInput((bytes,address,uint256,uint256,uint256))': v3(FIRST_ROUTER, 1, 3, packed),
  'exactInput((bytes,address,uint256,uint256))': v3(SECOND_ROUTER, 1, 2, packed),
  'exactOutputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))': v3(FIRST_ROUTER, 3, 6, named),
  'exactOutputSingle((address,address,uint24,address,uint256,uint256,uint160))': v3(SECOND_ROUTER, 3, 5, named),
  'exactOutput((bytes,address,uint256,uint256,uint256))': v3(FIRST_ROUTER, 1, 4, packedBackwards),
  'exactOutput((bytes,address,uint256,uint256))': v3(SECOND_ROUTER, 1, 3, packedBackwards),
  'swapExactTokensForTokens(uint256,uint256,address[],address)': v2(2, 3, 0, SECOND_ROUTER),
  'swapTokensForExactTokens(uint256,uint256,address[],address)': v2(2, 3, 1, SECOND_ROUTER),
  'unwrapWETH9(uint256)': unwrap(),
  'unwrapWETH9(uint256,address)': unwrap(1),
  'unwrapWETH9WithFee(uint256,uint256,address)': unwrap(2),
  'unwrapWETH9WithFee(uint256,address,uint256,address)': unwrap(1, 3),
  'sweepToken(address,uint256)': sweep(),
  'sweepToken(address,uint256,address)': sweep(2),
  'sweepTokenWithFee(address,uint256,uint256,address)': sweep(3),
  'sweepTokenWithFee(address,uint256,address,uint256,address)': sweep(2, 4),
  'refundETH()': () => ({ routerBalances: [{ token: 'native', stays: false }] }),
  'wrapETH(uint256)': () => ({ routerBalances: [{ token: 'wrapped', stays: true }] }),
  'pull(address,uint256)': ([token, amount]) => ({
    tokens: [addressOf(token)],
    spends: [{ token: addressOf(token), amount: amountOf(amount) }],
    routerBalances: [{ token: addressOf(token), stays: true }],
  }),
};

/** Functions that carry further calls of the same contract, by the place of their list. */
export const MULTICALLS: Readonly<Record<string, number>> = {
  'multicall(bytes[])': 0,
  'multicall(uint256,bytes[])': 1,
  'multicall(bytes32,bytes[])': 1,
};

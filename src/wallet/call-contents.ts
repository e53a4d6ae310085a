// What an encoded call would move and permit: recipients, amounts and approvals, also inside the calls of known routers.
//
// The owner's rules must hold for raw calls as for those we make ourselves. Known are ERC-20 and its permits, approvals
// of whole collections, Permit2, and the swaps of Uniswap's V2 and V3 routers with their multicalls. A known function
// whose data cannot be read, and one whose own language hides who receives, are opaque: an allowlist refuses them.

import { type AbiValue, abiFunction, SELECTOR_CHARS } from './abi.ts';
import { checksumAddress } from './address.ts';
import type { Address, Call, Hex } from './chain.ts';

export interface Approval {
  readonly token: Address;
  readonly spender: Address;
  /** 0 takes a permission away. */
  readonly amount: bigint;
  /** On top of what is approved already. */
  readonly adds?: true;
  /** Every piece of a collection, also those that come later. */
  readonly forAll?: true;
}

export interface CallContents {
  /** Who receives or may spend. */
  readonly parties: readonly Address[];
  readonly approvals: readonly Approval[];
  /** What leaves the account, in the smallest unit of each token. */
  readonly spends: readonly { readonly token: Address; readonly amount: bigint }[];
  readonly isOpaque: boolean;
}

type Read = (args: readonly AbiValue[], to: Address) => Partial<CallContents>;

const NOTHING: CallContents = { parties: [], approvals: [], spends: [], isOpaque: false };
const OPAQUE: CallContents = { ...NOTHING, isOpaque: true };
/** A multicall inside a multicall is rare; deeper ones are somebody hiding something. */
const MAX_DEPTH = 3;
const EVERYTHING = 2n ** 256n - 1n;
/** Routers mean themselves by 0 and 2, and whoever calls by 1. */
const LAST_ROUTER_WORD = 2n;

const addressOf = (value: AbiValue | undefined): Address =>
  checksumAddress(`0x${((value as bigint) & (2n ** 160n - 1n)).toString(16).padStart(40, '0')}`);
const amountOf = (value: AbiValue | undefined): bigint => value as bigint;
const listOf = (value: AbiValue | undefined): readonly AbiValue[] => value as readonly AbiValue[];
const partyOf = (value: AbiValue | undefined): Address[] =>
  (value as bigint) <= LAST_ROUTER_WORD ? [] : [addressOf(value)];

const approval = (token: Address, spender: AbiValue | undefined, amount: bigint, more: object = {}) => ({
  parties: [addressOf(spender)],
  approvals: [{ token, spender: addressOf(spender), amount, ...more }],
});
const transfer =
  (party: number, amount: number): Read =>
  (args, to) => ({
    parties: [addressOf(args[party])],
    spends: [{ token: to, amount: amountOf(args[amount]) }],
  });
/** A swap of a V2 router: who receives, and, where tokens are paid, which and how many. */
const v2 =
  (path: number, recipient: number, amountIn?: number): Read =>
  (args) => ({
    parties: partyOf(args[recipient]),
    spends:
      amountIn === undefined ? [] : [{ token: addressOf(listOf(args[path])[0]), amount: amountOf(args[amountIn]) }],
  });
/** Liquidity of a V2 router: who receives, and the tokens paid in. */
const liquidity =
  (recipient: number, ...pairs: readonly (readonly [token: number, amount: number])[]): Read =>
  (args) => ({
    parties: partyOf(args[recipient]),
    spends: pairs.map(([token, amount]) => ({ token: addressOf(args[token]), amount: amountOf(args[amount]) })),
  });
/** A swap of a V3 router, whose arguments are one tuple. */
const v3 =
  (recipient: number, amountIn: number, tokenIn: (params: readonly AbiValue[]) => Address): Read =>
  ([params]) => ({
    parties: partyOf(listOf(params)[recipient]),
    spends: [{ token: tokenIn(listOf(params)), amount: amountOf(listOf(params)[amountIn]) }],
  });
const named = ([token]: readonly AbiValue[]): Address => addressOf(token);
const PACKED_ADDRESS_CHARS = 40;
/** A packed path begins with the token that is paid; of an exact output it ends with it. */
const firstOfPath = ([path]: readonly AbiValue[]): Address =>
  addressOf(BigInt((path as Hex).slice(0, 2 + PACKED_ADDRESS_CHARS)));
const lastOfPath = ([path]: readonly AbiValue[]): Address =>
  addressOf(BigInt(`0x${(path as Hex).slice(-PACKED_ADDRESS_CHARS)}`));
const receivers =
  (...places: readonly number[]): Read =>
  (args) => ({ parties: places.flatMap((place) => partyOf(args[place])) });
const permitted = (details: AbiValue | undefined, spender: AbiValue | undefined) =>
  approval(addressOf(listOf(details)[0]), spender, amountOf(listOf(details)[1]));

const V2_ARGUMENTS = '(uint256,uint256,address[],address,uint256)';
const V2_COIN_ARGUMENTS = '(uint256,address[],address,uint256)';

const READERS: Readonly<Record<string, Read>> = {
  'approve(address,uint256)': ([spender, amount], to) => approval(to, spender, amountOf(amount)),
  'increaseAllowance(address,uint256)': ([spender, amount], to) =>
    approval(to, spender, amountOf(amount), amount === 0n ? {} : { adds: true }),
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': ([, spender, amount], to) =>
    approval(to, spender, amountOf(amount)),
  'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)': ([, spender, , , isAllowed], to) =>
    approval(to, spender, isAllowed === 0n ? 0n : EVERYTHING),
  'setApprovalForAll(address,bool)': ([operator, isApproved], to) =>
    isApproved === 0n ? approval(to, operator, 0n) : approval(to, operator, EVERYTHING, { forAll: true }),
  'transfer(address,uint256)': transfer(0, 1),
  'transferFrom(address,address,uint256)': transfer(1, 2),
  'safeTransferFrom(address,address,uint256)': receivers(1),
  'safeTransferFrom(address,address,uint256,bytes)': receivers(1),
  'safeTransferFrom(address,address,uint256,uint256,bytes)': receivers(1),
  'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)': receivers(1),
  // Permit2
  'approve(address,address,uint160,uint48)': ([token, spender, amount]) =>
    approval(addressOf(token), spender, amountOf(amount)),
  'permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)': ([, single]) =>
    permitted(listOf(single)[0], listOf(single)[1]),
  'permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)': ([, batch]) =>
    together(listOf(listOf(batch)[0]).map((details) => permitted(details, listOf(batch)[1]))),
  'transferFrom(address,address,uint160,address)': ([, to, amount, token]) => ({
    parties: [addressOf(to)],
    spends: [{ token: addressOf(token), amount: amountOf(amount) }],
  }),
  'transferFrom((address,address,uint160,address)[])': ([batch]) =>
    together(
      listOf(batch).map((one) => ({
        parties: [addressOf(listOf(one)[1])],
        spends: [{ token: addressOf(listOf(one)[3]), amount: amountOf(listOf(one)[2]) }],
      })),
    ),
  // Uniswap V2
  [`swapExactTokensForTokens${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapExactTokensForTokensSupportingFeeOnTransferTokens${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapExactTokensForETH${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapExactTokensForETHSupportingFeeOnTransferTokens${V2_ARGUMENTS}`]: v2(2, 3, 0),
  [`swapTokensForExactTokens${V2_ARGUMENTS}`]: v2(2, 3, 1),
  [`swapTokensForExactETH${V2_ARGUMENTS}`]: v2(2, 3, 1),
  [`swapExactETHForTokens${V2_COIN_ARGUMENTS}`]: v2(1, 2),
  [`swapExactETHForTokensSupportingFeeOnTransferTokens${V2_COIN_ARGUMENTS}`]: v2(1, 2),
  [`swapETHForExactTokens${V2_COIN_ARGUMENTS}`]: v2(1, 2),
  'addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)': liquidity(6, [0, 2], [1, 3]),
  'addLiquidityETH(address,uint256,uint256,uint256,address,uint256)': liquidity(4, [0, 1]),
  'removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)': liquidity(5),
  'removeLiquidityETH(address,uint256,uint256,uint256,address,uint256)': liquidity(4),
  'removeLiquidityETHSupportingFeeOnTransferTokens(address,uint256,uint256,uint256,address,uint256)': liquidity(4),
  // Uniswap V3: the first router, with a deadline in the tuple, and the second without
  'exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))': v3(3, 5, named),
  'exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))': v3(3, 4, named),
  'exactInput((bytes,address,uint256,uint256,uint256))': v3(1, 3, firstOfPath),
  'exactInput((bytes,address,uint256,uint256))': v3(1, 2, firstOfPath),
  'exactOutputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))': v3(3, 6, named),
  'exactOutputSingle((address,address,uint24,address,uint256,uint256,uint160))': v3(3, 5, named),
  'exactOutput((bytes,address,uint256,uint256,uint256))': v3(1, 4, lastOfPath),
  'exactOutput((bytes,address,uint256,uint256))': v3(1, 3, lastOfPath),
  // The second router's own forms of V2 swaps
  'swapExactTokensForTokens(uint256,uint256,address[],address)': v2(2, 3, 0),
  'swapTokensForExactTokens(uint256,uint256,address[],address)': v2(2, 3, 1),
  'unwrapWETH9(uint256,address)': receivers(1),
  'unwrapWETH9WithFee(uint256,address,uint256,address)': receivers(1, 3),
  'sweepToken(address,uint256,address)': receivers(2),
  'sweepTokenWithFee(address,uint256,address,uint256,address)': receivers(2, 4),
  // The Universal Router has a language of its own
  'execute(bytes,bytes[])': () => OPAQUE,
  'execute(bytes,bytes[],uint256)': () => OPAQUE,
};
/** Functions that carry further calls of the same contract, by the place of their list. */
const MULTICALLS: Readonly<Record<string, number>> = {
  'multicall(bytes[])': 0,
  'multicall(uint256,bytes[])': 1,
  'multicall(bytes32,bytes[])': 1,
};
/** Harmless steps of a router, so that a multicall with them is not opaque. */
const HARMLESS = ['refundETH()', 'unwrapWETH9(uint256)', 'sweepToken(address,uint256)', 'wrapETH(uint256)'];

const bySelector = new Map<string, { decode(data: Hex): readonly AbiValue[]; read?: Read; calls?: number }>();
for (const [signature, read] of Object.entries(READERS)) add(signature, { read });
for (const [signature, calls] of Object.entries(MULTICALLS)) add(signature, { calls });
for (const signature of HARMLESS) add(signature, { read: () => ({}) });

function add(signature: string, entry: { read?: Read; calls?: number }): void {
  const { selector, decode } = abiFunction(signature);
  bySelector.set(selector, { decode, ...entry });
}

/** Of a function that is not known: nothing. */
export function readCall({ to, data }: Pick<Call, 'to' | 'data'>): CallContents {
  return readAt(to, data, 0) ?? NOTHING;
}

/** Undefined for a function that is not known. */
function readAt(to: Address, data: Hex, depth: number): CallContents | undefined {
  const known = bySelector.get(data.slice(0, SELECTOR_CHARS).toLowerCase());
  if (known === undefined) return undefined;
  if (depth > MAX_DEPTH) return OPAQUE;
  try {
    const args = known.decode(data);
    if (known.calls === undefined) return { ...NOTHING, ...known.read?.(args, to) };
    const inner = listOf(args[known.calls]).map((call) => readAt(to, call as Hex, depth + 1) ?? OPAQUE);
    return together(inner);
  } catch {
    return OPAQUE;
  }
}

function together(all: readonly Partial<CallContents>[]): CallContents {
  return {
    parties: all.flatMap(({ parties = [] }) => parties),
    approvals: all.flatMap(({ approvals = [] }) => approvals),
    spends: all.flatMap(({ spends = [] }) => spends),
    isOpaque: all.some(({ isOpaque = false }) => isOpaque),
  };
}

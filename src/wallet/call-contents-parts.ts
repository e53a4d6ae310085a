// What is told of an encoded call, and the small readers that the tables of known functions are made of.

import type { AbiValue } from './abi.ts';
import { checksumAddress } from './address.ts';
import type { Address, ChainName, TokenRef } from './chain.ts';

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

/** One step of what a router holds for its caller; `wrapped` is the chain's coin as a token. */
export interface RouterBalance {
  readonly token: TokenRef | 'wrapped';
  /** Whether it stays in the router, or all of it is handed out. */
  readonly stays: boolean;
}

export interface CallContents {
  /** Who receives or may spend. */
  readonly parties: readonly Address[];
  /** Every token on the way of a swap, and those a router is told to hand out. */
  readonly tokens: readonly Address[];
  readonly approvals: readonly Approval[];
  /** What leaves the account, in the smallest unit of each token. */
  readonly spends: readonly { readonly token: Address; readonly amount: bigint }[];
  /** In the order of the steps: at the end nothing may stay. */
  readonly routerBalances: readonly RouterBalance[];
  /** A function that is known but hides who receives or how much is spent. */
  readonly isOpaque: boolean;
  /** False for a function that is not in our tables. */
  readonly isKnown: boolean;
}

/** `valueWei`: the coins that are sent along. */
export type Read = (args: readonly AbiValue[], to: Address, valueWei: bigint) => Partial<CallContents>;

export const NOTHING: CallContents = {
  ...{ parties: [], tokens: [], approvals: [], spends: [], routerBalances: [] },
  ...{ isOpaque: false, isKnown: true },
};
export const OPAQUE: CallContents = { ...NOTHING, isOpaque: true };
export const EVERYTHING = 2n ** 256n - 1n;

/** The chain's own coin as a token: what unwrapWETH9 hands out. */
export const WRAPPED_COINS: Readonly<Record<ChainName, Address>> = {
  ethereum: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  arbitrum: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  polygon: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
};

export const addressOf = (value: AbiValue | undefined): Address =>
  checksumAddress(`0x${((value as bigint) & (2n ** 160n - 1n)).toString(16).padStart(40, '0')}`);
export const amountOf = (value: AbiValue | undefined): bigint => value as bigint;
export const listOf = (value: AbiValue | undefined): readonly AbiValue[] => value as readonly AbiValue[];

export const approval = (token: Address, spender: AbiValue | undefined, amount: bigint, more: object = {}) => ({
  parties: [addressOf(spender)],
  approvals: [{ token, spender: addressOf(spender), amount, ...more }],
});
/** Of a permit of Permit2: token and amount, and who may spend it. */
export const permitted = (details: AbiValue | undefined, spender: AbiValue | undefined) =>
  approval(addressOf(listOf(details)[0]), spender, amountOf(listOf(details)[1]));

export function together(all: readonly Partial<CallContents>[]): CallContents {
  return {
    parties: all.flatMap(({ parties = [] }) => parties),
    tokens: all.flatMap(({ tokens = [] }) => tokens),
    approvals: all.flatMap(({ approvals = [] }) => approvals),
    spends: all.flatMap(({ spends = [] }) => spends),
    routerBalances: all.flatMap(({ routerBalances = [] }) => routerBalances),
    isOpaque: all.some(({ isOpaque = false }) => isOpaque),
    isKnown: all.every(({ isKnown = true }) => isKnown),
  };
}

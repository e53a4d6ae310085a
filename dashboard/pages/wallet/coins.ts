// The coins of a chain that this page knows: its own, and the tokens whose contracts were added in this browser.

import type { WalletBalance } from '../../server/setup-answers.ts';

export const CHAINS = ['ethereum', 'arbitrum', 'polygon'] as const;
export type Chain = (typeof CHAINS)[number];

const NATIVE: Readonly<Record<Chain, string>> = { ethereum: 'ETH', arbitrum: 'ETH', polygon: 'POL' };

export interface Coin {
  /** `native` or the address of its contract, as the wallet names it. */
  readonly token: string;
  readonly symbol: string;
  readonly decimals: number;
  /** In its smallest units. */
  readonly amount: string;
}

export const coinsOf = (chain: Chain, { native, tokens }: WalletBalance): readonly Coin[] => [
  { token: 'native', symbol: NATIVE[chain], ...native },
  ...tokens,
];

export const isContract = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text.trim());

const keyOf = (chain: Chain): string => `signalbox.wallet-tokens.${chain}`;

export const storedTokens = (chain: Chain): readonly string[] =>
  (localStorage.getItem(keyOf(chain)) ?? '').split(' ').filter(isContract);

export const storeTokens = (chain: Chain, tokens: readonly string[]): void =>
  localStorage.setItem(keyOf(chain), [...new Set(tokens)].join(' '));

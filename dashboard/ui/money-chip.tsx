// Which kind of money something is, in the colour that it has everywhere.

import type { ComponentChildren } from 'preact';
import { Chip, type Tone } from './chip.tsx';

export const MONEY = ['paper', 'testnet', 'live'] as const;
export type Money = (typeof MONEY)[number];

const TONES: Readonly<Record<string, Tone>> = { paper: 'warn', testnet: 'accent', live: 'down' };
const WORDS: Readonly<Record<string, string>> = {
  ...{ paper: 'PAPER · play money', testnet: 'TESTNET · play money', live: 'LIVE · real money' },
};

/** In its own words, unless others are given. */
export const MoneyChip = ({ mode, children }: { readonly mode: string; readonly children?: ComponentChildren }) => (
  <Chip tone={TONES[mode] ?? 'plain'}>{children ?? WORDS[mode]}</Chip>
);

/** As options of a filter. */
export const MONEY_OPTIONS = MONEY.map((mode) => [mode, mode.toUpperCase()] as const);

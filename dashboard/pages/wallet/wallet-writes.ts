// What the wallet is asked to sign besides a swap, from what was typed: a payment, a permission, or a call of a contract. Each in words
// first, with what is wrong with it where something is.

import { type Chain, type Coin, isContract } from './coins.ts';
import { fromUnits, toUnits } from './units.ts';
import type { WalletWrite } from './wallet-question.tsx';

export const WRITE_KINDS = ['transfer', 'approve', 'send'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** As it is typed. */
export interface WriteForm {
  readonly kind: WriteKind;
  /** `native` or a contract; of a call the chain's own coin always. */
  readonly token: string;
  /** Who gets it, who may spend it, or which contract is called. */
  readonly to: string;
  readonly amount: string;
  /** Of a call. */
  readonly data: string;
}

export interface PlannedWrite {
  readonly write: WalletWrite;
  readonly facts: readonly (readonly [name: string, fact: string])[];
  /** What it means, in a sentence. */
  readonly words: string;
}

/** The plan, or what is missing or wrong; an empty fault says that nothing was typed yet. */
export function plannedWrite(
  chain: Chain,
  form: WriteForm,
  coins: readonly Coin[],
): PlannedWrite | { readonly fault: string } {
  const to = form.to.trim();
  if (to === '') return { fault: '' };
  if (!isContract(to)) return { fault: `${RECEIVERS[form.kind]} is an address: 0x and 40 digits.` };
  const coin = coins.find(({ token }) => token === (form.kind === 'send' ? 'native' : form.token));
  if (coin === undefined) return { fault: 'Choose a coin.' };
  const units = unitsOf(form, coin);
  if (units === undefined)
    return { fault: form.amount.trim() === '' ? '' : 'The amount is a plain number, such as 0.5.' };
  const amount = `${fromUnits(units, coin.decimals)} ${coin.symbol}`;
  if (form.kind === 'approve') return approval(chain, coin, to, units, amount);
  if (BigInt(units) > BigInt(coin.amount))
    return { fault: `The wallet holds ${fromUnits(coin.amount, coin.decimals)} ${coin.symbol}.` };
  return form.kind === 'transfer' ? transfer(chain, coin, to, units, amount) : call(chain, form, to, units, amount);
}

const RECEIVERS: Readonly<Record<WriteKind, string>> = {
  transfer: 'The receiver',
  approve: 'The spender',
  send: 'The receiver',
};

/** Nothing is an amount of a permission that is taken away, and of a call that pays nothing. */
function unitsOf({ kind, amount }: WriteForm, { decimals }: Coin): string | undefined {
  const isNothing = /^(?:0+\.?0*|\.0+)$/.test(amount.trim());
  if (kind !== 'transfer' && (isNothing || (kind === 'send' && amount.trim() === ''))) return '0';
  return toUnits(amount, decimals);
}

const transfer = (chain: Chain, { token }: Coin, to: string, units: string, amount: string): PlannedWrite => ({
  write: { path: '/wallet/transfer', body: { chain, token, to, amount: units } },
  facts: [
    ['Transfer', amount],
    ['To', to],
    ['On', chain],
  ],
  words: 'Look at the address once more: what goes to a wrong one is lost, and nobody can take it back.',
});

const approval = (chain: Chain, { token, symbol }: Coin, to: string, units: string, amount: string): PlannedWrite => ({
  write: { path: '/wallet/approve', body: { chain, token, spender: to, amount: units } },
  facts: [
    ['May spend', units === '0' ? `no ${symbol} any more` : `${amount} at most`],
    ['Spender', to],
    ['On', chain],
  ],
  words:
    units === '0'
      ? 'It takes the permission away. What was spent already stays spent.'
      : 'The spender can take as much whenever it likes, until you approve 0 for it. Approve only contracts that you know.',
});

const DATA = /^0x(?:[0-9a-fA-F]{2})*$/;

function call(
  chain: Chain,
  { data }: WriteForm,
  to: string,
  units: string,
  amount: string,
): PlannedWrite | { readonly fault: string } {
  const encoded = data.trim() === '' ? '0x' : data.trim();
  if (!DATA.test(encoded)) return { fault: 'The call is 0x and an even number of hex digits.' };
  if (encoded === '0x' && units === '0') return { fault: 'Give an amount, a call, or both.' };
  return {
    write: { path: '/wallet/send', body: { chain, to, value: units, data: encoded } },
    facts: [
      ['Send', amount],
      ['To', to],
      ['Call', encoded === '0x' ? 'none' : `${encoded.slice(0, 10)}…, ${(encoded.length - 2) / 2} bytes`],
      ['On', chain],
    ],
    words: 'It is signed as it stands. Nobody here knows what a contract makes of it.',
  };
}

// Looks into encoded calls for the ERC-20 ones that move money or let others move it, so that rules hold for raw calls too.

import { checksumAddress } from './address.ts';
import type { Address, Hex } from './chain.ts';

export interface TokenCall {
  readonly kind: 'approve' | 'transfer';
  /** Who may spend, or who receives. */
  readonly party: Address;
  readonly amount: bigint;
}

const WORD_CHARS = 64;
const SELECTOR_CHARS = 10;

/** Selector → which arguments matter: the party's and the amount's place. */
const KNOWN: Readonly<Record<string, { kind: TokenCall['kind']; party: number; amount: number }>> = {
  // approve(address,uint256)
  '0x095ea7b3': { kind: 'approve', party: 0, amount: 1 },
  // increaseAllowance(address,uint256)
  '0x39509351': { kind: 'approve', party: 0, amount: 1 },
  // permit(address,address,uint256,uint256,uint8,bytes32,bytes32)
  '0xd505accf': { kind: 'approve', party: 1, amount: 2 },
  // transfer(address,uint256)
  '0xa9059cbb': { kind: 'transfer', party: 0, amount: 1 },
  // transferFrom(address,address,uint256)
  '0x23b872dd': { kind: 'transfer', party: 1, amount: 2 },
};

/** Undefined for every other call, and for one that is cut short: the contract would not take it either. */
export function readTokenCall(data: Hex): TokenCall | undefined {
  const known = KNOWN[data.slice(0, SELECTOR_CHARS).toLowerCase()];
  if (known === undefined) return undefined;
  const word = (place: number): string =>
    data.slice(SELECTOR_CHARS + place * WORD_CHARS, SELECTOR_CHARS + (place + 1) * WORD_CHARS);
  const party = word(known.party);
  const amount = word(known.amount);
  if (party.length < WORD_CHARS || amount.length < WORD_CHARS) return undefined;
  return { kind: known.kind, party: checksumAddress(`0x${party.slice(24)}`), amount: BigInt(`0x${amount}`) };
}

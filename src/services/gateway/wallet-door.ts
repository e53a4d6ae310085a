// The wallet's own door: every write carries the wallet's token, besides what opens the internal door.

import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../http/errors.ts';
import type { GuessLimit } from '../../http/guess-limit.ts';

export const WALLET_TOKEN_HEADER = 'x-wallet-token';
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');

export type WalletDoor = (given: string | undefined, clientAddress: string) => Promise<void>;

/**
 * Resolves for the right token, and for everybody where nothing can be signed: the wallet itself refuses then.
 * Guesses are slowed as at the other doors, by the address they come from.
 */
export function walletDoor(token: string | undefined, guesses: GuessLimit): WalletDoor {
  const expected = token === undefined ? undefined : digestOf(token);
  return async (given, clientAddress) => {
    if (expected === undefined) return;
    if (given === undefined)
      throw new Refusal(
        'UNAUTHORIZED',
        'No wallet token. Send the value of WALLET_TOKEN in the header X-Wallet-Token.',
      );
    // Digests of one length, compared in constant time, tell nothing about the token.
    const isRight = await guesses.isRight(clientAddress, () => timingSafeEqual(digestOf(given), expected));
    if (isRight) return;
    throw new Refusal(
      'UNAUTHORIZED',
      'Wrong wallet token. Send the value of WALLET_TOKEN in the header X-Wallet-Token.',
    );
  };
}

// The wallet's own door: every write carries the wallet's token, besides what opens the internal door.

import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../http/errors.ts';

export const WALLET_TOKEN_HEADER = 'x-wallet-token';
/** Wrong tokens are answered one after the other, each this late: a machine that guesses gets two tries a second. */
const GUESS_MS = 500;
/** More of them than this are turned away without being looked at. */
const MAX_WAITING = 20;

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Resolves for the right token, and for everybody where nothing can be signed: the wallet itself refuses then. */
export function walletDoor(token: string | undefined): (given: string | undefined) => Promise<void> {
  const expected = token === undefined ? undefined : digestOf(token);
  let last = Promise.resolve();
  let waiting = 0;
  return async (given) => {
    // Digests of one length, compared in constant time, tell nothing about the token.
    if (expected === undefined || (given !== undefined && timingSafeEqual(digestOf(given), expected))) return;
    if (given === undefined)
      throw new Refusal(
        'UNAUTHORIZED',
        'No wallet token. Send the value of WALLET_TOKEN in the header X-Wallet-Token.',
      );
    if (waiting >= MAX_WAITING)
      throw new Refusal('WALLET_BUSY', 'too many wrong wallet tokens at once; wait a moment', {
        headers: { 'retry-after': String((MAX_WAITING * GUESS_MS) / 1000) },
      });
    waiting += 1;
    last = last.then(() => new Promise((resolve) => setTimeout(resolve, GUESS_MS)));
    await last;
    waiting -= 1;
    throw new Refusal(
      'UNAUTHORIZED',
      'Wrong wallet token. Send the value of WALLET_TOKEN in the header X-Wallet-Token.',
    );
  };
}

// The wallet's own door: every write carries the wallet's token, besides what opens the internal door.

import { hash, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../../http/errors.ts';
import { createSlowLanes, FULL_LANE_S } from '../../http/slow-lanes.ts';

export const WALLET_TOKEN_HEADER = 'x-wallet-token';
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * Resolves for the right token at once, and for everybody where nothing can be signed: the wallet itself refuses then.
 * Wrong tokens are answered one after the other, whoever sends them.
 */
export function walletDoor(token: string | undefined): (given: string | undefined) => Promise<void> {
  const expected = token === undefined ? undefined : digestOf(token);
  const lanes = createSlowLanes();
  return async (given) => {
    // Digests of one length, compared in constant time, tell nothing about the token.
    if (expected === undefined || (given !== undefined && timingSafeEqual(digestOf(given), expected))) return;
    if (given === undefined)
      throw new Refusal(
        'UNAUTHORIZED',
        'No wallet token. Send the value of WALLET_TOKEN in the header X-Wallet-Token.',
      );
    const turn = lanes.turn('wallet');
    if (turn === undefined)
      throw new Refusal('WALLET_BUSY', 'too many wrong wallet tokens at once; wait a moment', {
        headers: { 'retry-after': String(FULL_LANE_S) },
      });
    await turn;
    throw new Refusal(
      'UNAUTHORIZED',
      'Wrong wallet token. Send the value of WALLET_TOKEN in the header X-Wallet-Token.',
    );
  };
}

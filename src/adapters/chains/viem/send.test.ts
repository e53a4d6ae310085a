// What nodes of different makes say to a transaction, and what it means.

import { describe, expect, it } from 'vitest';
import { readRefusal } from './send.ts';

describe('a node that says', () => {
  it.each([
    ['already known', 'known'],
    ['INTERNAL_ERROR: existing tx with same hash', 'known'],
    ['AlreadyKnown', 'known'],
    ['Known transaction', 'known'],
    ['Transaction with the same hash was already imported.', 'known'],
    ['transaction already imported', 'known'],
    ['nonce too low', 'stale-nonce'],
    ['nonce too low: next nonce 5, tx nonce 4', 'stale-nonce'],
    ['Transaction nonce is too low. Try incrementing the nonce.', 'stale-nonce'],
    ['OldNonce, Current nonce: 5, nonce of rejected tx: 4', 'stale-nonce'],
    ['replacement transaction underpriced', 'underpriced'],
    ['transaction underpriced: gas tip cap 1, minimum needed 25000000000', 'underpriced'],
    ['transaction gas price below minimum: gas tip cap 1, minimum needed 25000000000', 'underpriced'],
    ['max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2', 'underpriced'],
    ['FeeTooLow', 'underpriced'],
    ['Gas price below configured minimum gas price', 'underpriced'],
    ['Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 5', 'underpriced'],
    ['Sender doesn’t have enough funds to send tx. The max upfront cost is: 5', 'refused'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 21000', 'refused'],
    ['Upfront cost exceeds account balance', 'refused'],
    ['InsufficientFunds, Account balance: 0', 'refused'],
    ['intrinsic gas too low: gas 20000, minimum needed 21000', 'refused'],
    ['exceeds block gas limit', 'refused'],
    ['txpool is full', 'refused'],
    ['max priority fee per gas higher than max fee per gas', 'refused'],
    ['nonce too high', 'refused'],
    ['invalid sender', 'refused'],
    ['', 'refused'],
  ] as const)('"%s" means %s', (message, kind) => {
    expect(readRefusal(message).kind).toBe(kind);
  });
});

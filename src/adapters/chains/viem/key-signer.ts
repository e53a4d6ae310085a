// Signs with a private key held in memory; the key leaves this file neither in an answer nor in an error.

import { privateKeyToAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import type { Hex, Signer } from '../../../wallet/chain.ts';

/** `privateKey` is 0x and 64 hex digits. */
export function createKeySigner(privateKey: Hex): Signer {
  const account = accountOf(privateKey);
  return {
    address: account.address,
    async sign({ chainId, nonce, to, valueWei, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas }) {
      const fees = { maxFeePerGas, maxPriorityFeePerGas };
      // Signatures are made without chance (RFC 6979): the same transaction has the same bytes every time.
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce,
        to,
        value: valueWei,
        data,
        gas: gasLimit,
        ...fees,
      });
      return { raw, hash: keccak256(raw) };
    },
  };
}

function accountOf(privateKey: Hex) {
  try {
    return privateKeyToAccount(privateKey);
  } catch {
    // What was thrown may repeat the key.
    throw new Error('the private key is none; it is 0x and 64 hex digits, not zero');
  }
}

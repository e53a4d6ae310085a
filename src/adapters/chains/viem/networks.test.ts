// The built-in addresses: each with its checksum, so that a mistyped digit shows.

import { getAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { CHAINS } from '../../../wallet/chain.ts';
import { NETWORKS } from './networks.ts';

describe.each(CHAINS)('%s', (name) => {
  const { chainId, contracts, fees } = NETWORKS[name];

  it('has the number its name stands for', () => {
    expect(chainId).toBe({ ethereum: 1, arbitrum: 42_161, polygon: 137 }[name]);
  });

  it('has four contracts, each written with its checksum', () => {
    const addresses = Object.values(contracts);
    expect(addresses).toHaveLength(4);
    for (const address of addresses) expect(getAddress(address)).toBe(address);
    expect(new Set(addresses).size).toBe(4);
  });

  it('has bounds for fees that leave room', () => {
    expect(fees.minPriorityFee).toBeLessThan(fees.maxPriorityFee);
    expect(fees.maxPriorityFee).toBeLessThan(fees.maxFee);
  });
});

// Caps as they stand in the settings: the most of a token that one transaction may spend or approve on a chain.

import { readAddress } from './address.ts';
import { CHAINS, type ChainName, type TokenRef } from './chain.ts';
import { capKey } from './policy.ts';

const FORM = /^([a-z]+):(native|0x[0-9a-fA-F]{40})=(\d{1,78})$/;

/** Every cap by its key, or what is wrong with the entries. */
export function readCaps(entries: readonly string[]): {
  readonly caps: ReadonlyMap<string, bigint>;
  readonly faults: readonly string[];
} {
  const caps = new Map<string, bigint>();
  const faults: string[] = [];
  for (const entry of entries) {
    const read = readCap(entry);
    if ('fault' in read) faults.push(`${JSON.stringify(entry)} ${read.fault}`);
    else if (caps.has(read.key)) faults.push(`${JSON.stringify(entry)} names the same token again; keep one of them`);
    else caps.set(read.key, read.amount);
  }
  return { caps, faults };
}

function readCap(entry: string): { readonly key: string; readonly amount: bigint } | { readonly fault: string } {
  const [, chain, token, amount] = FORM.exec(entry) ?? [];
  if (chain === undefined || token === undefined || amount === undefined || !isChain(chain))
    return {
      fault: `is no cap; write chain:token=amount, the chain one of ${CHAINS.join(', ')}, the token its address or native`,
    };
  const read = token === 'native' ? { address: 'native' as TokenRef } : readAddress(token);
  return 'fault' in read ? read : { key: capKey(chain, read.address), amount: BigInt(amount) };
}

const isChain = (name: string): name is ChainName => (CHAINS as readonly string[]).includes(name);

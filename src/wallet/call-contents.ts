// What an encoded call would move and permit: recipients, tokens, amounts and approvals, also inside known routers' calls.
//
// The owner's rules must hold for raw calls as for those we make ourselves. Known are ERC-20 and its permits, approvals
// of whole collections, Permit2, the functions of Uniswap's V2 and V3 routers with their multicalls, and the commands of
// its Universal Router. A known function whose data cannot be read, one whose own language hides who receives, and any
// other function of a known router are opaque: an allowlist and caps refuse them.

import { type AbiValue, abiFunction, SELECTOR_CHARS } from './abi.ts';
import { type CallContents, listOf, NOTHING, OPAQUE, type Read, together } from './call-contents-parts.ts';
import { MULTICALLS, SWAP_ROUTERS, V2_READERS, V3_READERS } from './call-contents-routers.ts';
import { TOKEN_READERS } from './call-contents-tokens.ts';
import { UNIVERSAL_READERS, UNIVERSAL_ROUTERS } from './call-contents-universal.ts';
import type { Address, Call, Hex } from './chain.ts';

/** Routers of the three chains: all they do must be understood, and nobody sends them anything to keep. */
export const KNOWN_ROUTERS: ReadonlySet<Address> = new Set([...SWAP_ROUTERS, ...UNIVERSAL_ROUTERS]);

/** A multicall inside a multicall is rare; deeper ones are somebody hiding something. */
const MAX_DEPTH = 3;

interface Known {
  readonly read?: Read;
  /** Where a multicall has its list. */
  readonly calls?: number;
  /** Coins sent along stay in the router until refundETH(). */
  readonly keepsCoins?: true;
}
const bySelector = new Map<string, Known & { decode(data: Hex): readonly AbiValue[] }>();
for (const [signature, read] of Object.entries({ ...TOKEN_READERS, ...V2_READERS, ...UNIVERSAL_READERS }))
  add(signature, { read });
for (const [signature, read] of Object.entries(V3_READERS)) add(signature, { read, keepsCoins: true });
for (const [signature, calls] of Object.entries(MULTICALLS)) add(signature, { calls, keepsCoins: true });

function add(signature: string, known: Known): void {
  const { selector, decode } = abiFunction(signature);
  bySelector.set(selector, { decode, ...known });
}

type ReadableCall = Pick<Call, 'to' | 'data'> & Partial<Pick<Call, 'valueWei'>>;

/** Of a function that is not known: nothing but that. */
export function readCall({ to, data, valueWei = 0n }: ReadableCall): CallContents {
  if (data === '0x') return NOTHING;
  return readAt({ to, data, valueWei }, 0) ?? (KNOWN_ROUTERS.has(to) ? OPAQUE : { ...NOTHING, isKnown: false });
}

/** Undefined for a function that is not known. */
function readAt({ to, data, valueWei }: Call, depth: number): CallContents | undefined {
  const known = bySelector.get(data.slice(0, SELECTOR_CHARS).toLowerCase());
  if (known === undefined) return undefined;
  if (depth > MAX_DEPTH) return OPAQUE;
  const coins = known.keepsCoins ? [{ token: 'native', stays: true } as const] : [];
  try {
    const args = known.decode(data);
    const inner =
      known.calls === undefined
        ? [known.read?.(args, to, valueWei) ?? {}]
        : listOf(args[known.calls]).map((call) => readAt({ to, data: call as Hex, valueWei }, depth + 1) ?? OPAQUE);
    return together([{ routerBalances: coins }, ...inner]);
  } catch {
    return OPAQUE;
  }
}

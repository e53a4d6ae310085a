// The gateway's limits as its gates use them, following the controls while the gateway runs.

import { type AddressList, createAddressList } from '../../http/client-address.ts';
import { createTokenBuckets } from '../../http/token-bucket.ts';
import type { GateKeepers } from '../../trading/intake/accept-signal.ts';
import { expandAllowlist } from '../../trading/intake/allowlist.ts';
import type { Controls } from '../../trading/intake/controls.ts';
import type { RateLooks } from '../../trading/intake/look-at-gates.ts';

/** More senders than this at once are an attack; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 50_000;
const MAX_KEYS = 10_000;

export type GatewayLimits = Pick<GateKeepers, 'countWrongKey' | 'isAddressAllowed' | 'takeFromRate'> & RateLooks;

export function createGatewayLimits(controls: Controls, monotonicMs: () => number): GatewayLimits {
  const off = { capacity: 0, refillPerMinute: 0, nowMs: monotonicMs };
  const signals = createTokenBuckets({ ...off, maxKeys: MAX_KEYS });
  const wrongKeys = createTokenBuckets({ ...off, maxKeys: MAX_ADDRESSES });
  let allowed: AddressList = createAddressList([]);
  let seen: Partial<ReturnType<Controls['current']>> = {};
  controls.watch((values) => {
    // Only what changed: configuring a bucket again would refill it.
    if (seen.limits !== values.limits) {
      const { webhookRatePerMinute, failedAuthPerMinute } = values.limits;
      signals.configure({ capacity: webhookRatePerMinute, refillPerMinute: webhookRatePerMinute });
      wrongKeys.configure({ capacity: failedAuthPerMinute, refillPerMinute: failedAuthPerMinute });
    }
    if (seen.allowlist !== values.allowlist) allowed = createAddressList(expandAllowlist(values.allowlist));
    seen = values;
  });
  return {
    takeFromRate: (keyId) => signals.take(keyId),
    countWrongKey: (address) => wrongKeys.take(address),
    lookAtRate: (keyId) => signals.peek(keyId),
    lookAtWrongKeys: (address) => wrongKeys.peek(address),
    isAddressAllowed: (address) => allowed.size === 0 || allowed.includes(address),
  };
}

/** What is wrong with the entries of an allowlist, in words. */
export function allowlistFault(entries: readonly string[]): string | undefined {
  try {
    createAddressList(expandAllowlist(entries));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

// The gateway's limits as its gates use them, following the controls while the gateway runs.

import { type AddressList, createAddressList } from '../../http/client-address.ts';
import { createRateBuckets, type SharedTokens } from '../../http/shared-buckets.ts';
import type { GateKeepers } from '../../trading/intake/accept-signal.ts';
import { expandAllowlist } from '../../trading/intake/allowlist.ts';
import type { Controls } from '../../trading/intake/controls.ts';
import type { RateLooks } from '../../trading/intake/look-at-gates.ts';

/** More senders than this at once are an attack; the least recently seen is forgotten first. */
const MAX_ADDRESSES = 50_000;
const MAX_KEYS = 10_000;

export type GatewayLimits = Pick<GateKeepers, 'countWrongKey' | 'isAddressAllowed' | 'takeFromRate'> & RateLooks;

export interface GatewayLimitsOptions {
  readonly controls: Controls;
  readonly monotonicMs: () => number;
  /** The buckets of several processes; undefined where this one counts alone. */
  readonly shared?: SharedTokens | undefined;
}

export function createGatewayLimits({ controls, monotonicMs, shared }: GatewayLimitsOptions): GatewayLimits {
  const off = { capacity: 0, refillPerMinute: 0, nowMs: monotonicMs, shared };
  const signals = createRateBuckets({ ...off, name: 'signals', maxKeys: MAX_KEYS });
  const wrongKeys = createRateBuckets({ ...off, name: 'wrong-keys', maxKeys: MAX_ADDRESSES });
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

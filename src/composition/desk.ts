// The trading desk over storage, accounts and a clock: the same for trading and for replaying what was traded.

import type { TradingStores } from '../adapters/storage/sql/trading/trading-stores.ts';
import type { Config } from '../config.ts';
import type { SharedTokens } from '../http/shared-buckets.ts';
import { createGatewayLimits } from '../services/gateway/limits.ts';
import type { Timers } from '../timing/timers.ts';
import type { Controls } from '../trading/intake/controls.ts';
import type { SharedEntries } from '../trading/intake/shared-entry-rates.ts';
import { openTradingDesk, type TradingDesk, type TradingDeskParts } from '../trading/trading-desk.ts';

export interface Clock {
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly timers: Timers;
}

export interface DeskOptions
  extends Pick<
    TradingDeskParts,
    | 'authenticate'
    | 'restrictions'
    | 'venues'
    | 'off'
    | 'liveConfirmations'
    | 'notifier'
    | 'channels'
    | 'ownerChat'
    | 'onAlarm'
    | 'onStanding'
    | 'onAlarmOver'
    | 'onTrouble'
    | 'restoredThroughSeq'
    | 'limitPatienceMs'
    | 'controlsCopy'
    | 'lease'
    | 'trace'
  > {
  readonly config: Pick<
    Config,
    | 'signalMaxAgeMs'
    | 'idempotencyWindowMs'
    | 'positionCheck'
    | 'liveGuards'
    | 'protectionAtVenue'
    | 'unprotectedPositions'
  >;
  readonly data: Pick<TradingStores, 'journal' | 'history' | 'pastTrades' | 'signals' | 'outbox' | 'protection'>;
  readonly controls: Controls;
  readonly pricesOf: TradingDeskParts['protection']['pricesOf'];
  readonly newRequestId: () => string;
  /** Told of every change that the owner makes at stops. */
  readonly onStopChange?: TradingDeskParts['protection']['onChange'];
  /** What several processes count together; undefined where this one counts alone. */
  readonly sharedLimits?: { readonly tokens: SharedTokens; readonly entries: SharedEntries } | undefined;
  readonly clock: Clock;
}

export function openDesk(options: DeskOptions): Promise<TradingDesk> {
  const { config, data, pricesOf, newRequestId, onStopChange: onChange, clock, sharedLimits, ...parts } = options;
  const { signalMaxAgeMs, idempotencyWindowMs, positionCheck, liveGuards, protectionAtVenue: isOn } = config;
  const unprotected = config.unprotectedPositions;
  const { journal, history, pastTrades, signals, outbox, protection } = data;
  const { controls, onAlarm } = parts;
  return openTradingDesk({
    ...createGatewayLimits({ controls, monotonicMs: clock.monotonicMs, shared: sharedLimits?.tokens }),
    ...{ ...parts, ...clock, journal, history, pastTrades, signals, outbox, signalMaxAgeMs, idempotencyWindowMs },
    ...{ positionCheck, liveGuards, sharedEntries: sharedLimits?.entries },
    protection: {
      ...{ store: protection.protections, pricesOf, newRequestId, onAlarm, onChange },
      atVenue: { store: protection.venueStops, isOn, unprotected },
    },
  });
}

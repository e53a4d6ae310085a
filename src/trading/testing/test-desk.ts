// A trading desk for tests: any storage and venue, clocks in the test's hands, every gate open.

import { newTrade, nextRequestId, START_MS, type TradeChanges } from '../../../tests/ports/sample-trades.ts';
import type { Journal } from '../books/journal.ts';
import type { Outbox } from '../books/outbox.ts';
import type { SignalStore } from '../books/signal-store.ts';
import type { Dispatched } from '../execution/dispatch.ts';
import { acceptSignal } from '../intake/accept-signal.ts';
import type { AcceptedSignal } from '../intake/accepted-signal.ts';
import {
  type AuditEntry,
  type ControlValues,
  createControls,
  type QueueMode,
  type SettingsStore,
} from '../intake/controls.ts';
import type { RateVerdict, Sender } from '../intake/gates.ts';
import { type RestrictionStore, Restrictions } from '../intake/restrictions.ts';
import type { ChatMessage } from '../notifications/notifier.ts';
import { memoryProtectionStore } from '../protection/testing/memory-protection-store.ts';
import { openTradingDesk, type TradingDesk, type TradingDeskParts } from '../trading-desk.ts';
import type { Venue } from '../venue.ts';
import { pretendedTimers, unhurried } from './hurry.ts';

/** Settings in memory; `fail` makes the next writes fail. */
export function memorySettings(): SettingsStore & { fail: boolean } {
  const values = new Map<string, string>();
  const entries: AuditEntry[] = [];
  const store = {
    fail: false,
    get: (name: string) => values.get(name),
    async set(name: string, value: string, entry: AuditEntry) {
      await store.appendAudit(entry);
      values.set(name, value);
    },
    async appendAudit(entry: AuditEntry) {
      if (store.fail) throw new Error('disk full');
      entries.unshift(entry);
    },
    audit: async (limit: number) => entries.slice(0, limit),
  };
  return store;
}

export const INITIAL_CONTROLS: ControlValues = {
  killSwitch: { active: false, scope: 'all' },
  queueMode: 'failover',
  allowlist: [],
  limits: { webhookRatePerMinute: 0, failedAuthPerMinute: 0 },
};

export interface Storage {
  readonly journal: Journal;
  readonly signals: SignalStore;
  readonly outbox: Outbox;
}

/** The storage's ports, at which pretended time waits. */
export const slowly = ({ journal, signals, outbox }: Storage): Storage => ({
  journal: unhurried(journal),
  signals: unhurried(signals),
  outbox: unhurried(outbox),
});

/** What the owner allows, in memory. */
export function memoryRestrictions(): RestrictionStore {
  const rows = new Map<string, ReturnType<RestrictionStore['list']>[number]>();
  return {
    list: () => [...rows.values()],
    put: async (row) => void rows.set(`${row.kind}:${row.name}`, row),
    remove: async ({ kind, name }) => void rows.delete(`${kind}:${name}`),
  };
}

const NO_HISTORY = { pages: async function* (): AsyncGenerator<never> {} };

export interface TestDeskOptions extends Storage {
  readonly venues: readonly Venue[];
  readonly clock?: TestClock;
  /** Settings that outlive the desk. */
  readonly settings?: SettingsStore;
  readonly restrictions?: Restrictions;
  readonly history?: TradingDeskParts['history'];
  readonly controlsCopy?: TradingDeskParts['controlsCopy'];
  readonly lease?: TradingDeskParts['lease'];
  /** Where the key of every signal routes to. */
  readonly routes?: Sender['routes'];
  /** What protections see and where they are kept; nothing is traded, and nothing outlives the desk, when omitted. */
  readonly protection?: Pick<TradingDeskParts['protection'], 'store' | 'pricesOf' | 'atVenue'>;
  readonly positionCheck?: TradingDeskParts['positionCheck'];
  readonly send?: (message: ChatMessage) => Promise<{ messageId: number | null }>;
}

/** Two clocks: the wall clock can be set, the other one only runs. */
export interface TestClock {
  wallMs: number;
  monotonicMs: number;
  advance(byMs: number): void;
}

export function createTestClock(): TestClock {
  const clock = {
    wallMs: START_MS,
    monotonicMs: 1000,
    advance(byMs: number) {
      clock.wallMs += byMs;
      clock.monotonicMs += byMs;
    },
  };
  return clock;
}

export const SIGNAL_MAX_AGE_MS = 60_000;
/** A market in which nothing is traded. */
const SILENT_PRICES = { lastPrice: async () => '100', range: async () => undefined };
const OPEN: RateVerdict = { allowed: true, limit: 0, remaining: 0, retryAfterSeconds: 0, resetSeconds: 0 };

export interface TestDesk {
  readonly desk: TradingDesk;
  readonly clock: TestClock;
  readonly controls: ReturnType<typeof createControls>;
  readonly troubles: string[];
  readonly alarms: string[];
  /** The kinds of those whose cause has gone. */
  readonly alarmsOver: string[];
  readonly sent: ChatMessage[];
  /** Through the gates into the journal. */
  accept(changes?: TradeChanges): Promise<AcceptedSignal>;
  /** Through the gates and on to the venue. */
  trade(mode: QueueMode, changes?: TradeChanges): Promise<{ requestId: string; dispatched: Dispatched }>;
}

export async function openTestDesk(options: TestDeskOptions): Promise<TestDesk> {
  const clock = options.clock ?? createTestClock();
  const nowMs = (): number => clock.wallMs;
  const controls = createControls({ store: options.settings ?? memorySettings(), initial: INITIAL_CONTROLS, nowMs });
  const troubles: string[] = [];
  const alarms: string[] = [];
  const alarmsOver: string[] = [];
  const sent: ChatMessage[] = [];
  const send = options.send ?? (async () => ({ messageId: sent.length }));
  const restrictions = options.restrictions ?? new Restrictions({ store: memoryRestrictions(), nowMs });
  const desk = await openTradingDesk({
    history: NO_HISTORY,
    pastTrades: NO_HISTORY,
    ...options,
    restrictions,
    authenticate: () => ({ keyId: 'k', label: 'default', ...(options.routes && { routes: options.routes }) }),
    countWrongKey: () => OPEN,
    isAddressAllowed: () => true,
    takeFromRate: () => OPEN,
    lookAtRate: () => OPEN,
    lookAtWrongKeys: () => OPEN,
    notifier: {
      send: (message) => {
        sent.push(message);
        return send(message);
      },
    },
    protection: {
      ...(options.protection ?? { store: memoryProtectionStore(), pricesOf: () => SILENT_PRICES }),
      newRequestId: nextRequestId,
      onAlarm: (kind, text) => void alarms.push(`${kind}: ${text}`),
    },
    controls,
    nowMs,
    monotonicMs: () => clock.monotonicMs,
    timers: pretendedTimers,
    liveGuards: { staleQuoteMs: 10_000, priceThroughPercent: 20, spreadPercent: 5 },
    signalMaxAgeMs: SIGNAL_MAX_AGE_MS,
    idempotencyWindowMs: 86_400_000,
    onAlarm: (kind, text) => void alarms.push(`${kind}: ${text}`),
    onStanding: (kind, text) => void alarms.push(`${kind}: ${text}`),
    onAlarmOver: (kind) => void alarmsOver.push(kind),
    onTrouble: (what, error) => void troubles.push(`${what}: ${error}`),
  });

  const acceptAll = async (changes: TradeChanges = {}): Promise<[AcceptedSignal, ...AcceptedSignal[]]> => {
    const { requestId, order, source, bodyDigest } = newTrade(changes);
    const candidate = {
      requestId,
      receivedAtMs: nowMs(),
      source,
      apiKey: 'whk',
      address: '127.0.0.1',
      order,
      bodyDigest,
    };
    const verdict = await acceptSignal(candidate, desk.keepers);
    if ('refused' in verdict) throw new Error(verdict.refused.message);
    return [verdict.accepted, ...verdict.further];
  };
  const accept = async (changes?: TradeChanges): Promise<AcceptedSignal> => (await acceptAll(changes))[0];
  return {
    desk,
    clock,
    controls,
    troubles,
    alarms,
    alarmsOver,
    sent,
    accept,
    async trade(mode, changes) {
      const [accepted, ...further] = await acceptAll(changes);
      const first = desk.dispatcher.dispatch(accepted, mode);
      const others = further.map((each) => desk.dispatcher.dispatch(each, mode));
      const [dispatched] = await Promise.all([first, ...others]);
      return { requestId: accepted.requestId, dispatched };
    },
  };
}

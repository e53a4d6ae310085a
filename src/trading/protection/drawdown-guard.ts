// The drawdown guard: when a day has lost too much, no new positions are opened; closing and stops go on.
//
// One guard watches one account: money that lies in another account, perhaps one that nobody trades with, is no cushion
// for its losses. A day is a UTC day. Its loss is measured from the equity at its start, realised and unrealised
// together. The guard throws the kill switch of its account when the loss reaches the limit; other accounts trade on. If
// the owner turns the switch off again, the guard respects that until the loss reaches the next multiple of the limit:
// 5 %, then 10 %, then 15 %.

import { every } from '../../timing/every.ts';
import type { Timers } from '../../timing/timers.ts';
import type { AccountName } from '../accounts.ts';
import { type Decimal, decimal, floorTo, minus, over, plus, times, toText, ZERO } from '../decimal.ts';
import { type LimitSubject, type Restrictions, subjectInWords } from '../intake/restrictions.ts';
import type { OnAlarm } from '../notifications/alarm.ts';

export interface DrawdownDay {
  /** As `2026-11-15`. */
  readonly day: string;
  readonly startEquity: Decimal;
  readonly lastEquity: Decimal;
  readonly lastSeenMs: number;
  /** The loss at which the switch was last thrown. */
  readonly trippedPercent?: Decimal;
}

export interface DrawdownStore {
  readDay(account: AccountName): Promise<DrawdownDay | undefined>;
  /** On disk when it resolves. */
  writeDay(account: AccountName, day: DrawdownDay): Promise<void>;
}

export interface DrawdownGuard {
  /** Compares once; the timer does the same. */
  check(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface DrawdownParts {
  readonly account: AccountName;
  /** Greater than 0. */
  readonly limitPercent: Decimal;
  /** Of the account, at the last prices. Rejects while a price is missing: then nothing is compared. */
  readonly equity: () => Promise<Decimal>;
  readonly store: DrawdownStore;
  readonly restrictions: Pick<Restrictions, 'ensureKillSwitch' | 'watch'>;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly onAlarm: OnAlarm;
  /** The switch was turned off: whoever did that knows of the loss. */
  readonly onAlarmOver: (kind: string) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const DRAWDOWN_ACTOR = 'drawdown-guard';
const CHECK_EVERY_MS = 5000;
const SAVE_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
const HUNDRED = decimal('100');
const SHOWN_STEP = decimal('0.01');

export function createDrawdownGuard(parts: DrawdownParts): DrawdownGuard {
  const { account: name, limitPercent, store, nowMs, onTrouble } = parts;
  let state: DrawdownDay | undefined;
  let saved: DrawdownDay | undefined;
  let isRead = false;
  let checking: Promise<void> | undefined;
  let endChecks = (): void => {};
  const subject = subjectOf(name);
  parts.restrictions.watch((row) => {
    const isOurs = row.kind === subject.kind && row.name === subject.name;
    if (isOurs && !row.killSwitch?.active) parts.onAlarmOver(alarmOf(subject));
  });

  const save = async (): Promise<void> => {
    const present = state;
    if (present === undefined || present === saved) return;
    await store.writeDay(name, present);
    saved = present;
  };

  /** What the last process left. */
  const restore = async (): Promise<void> => {
    saved = await store.readDay(name);
    state = saved;
    isRead = true;
  };

  const compare = async (): Promise<void> => {
    if (!isRead) await restore();
    const equity = await parts.equity();
    const now = nowMs();
    state = { ...dayOf(state, equity, now), lastEquity: equity, lastSeenMs: now };
    const loss = lossPercent(state.startEquity, equity);
    if (loss !== undefined && loss >= nextStep(state.trippedPercent, limitPercent)) {
      await throwSwitch(loss, parts);
      state = { ...state, trippedPercent: loss };
      await save();
    }
    if (state.day !== saved?.day || Math.abs(now - saved.lastSeenMs) >= SAVE_EVERY_MS) await save();
  };

  const check = (): Promise<void> => {
    checking ??= compare().finally(() => {
      checking = undefined;
    });
    return checking;
  };
  const checkOnce = (): Promise<void> =>
    check().catch((error) => onTrouble('the drawdown guard could not compare the equity', error));

  return {
    check,
    start() {
      void checkOnce();
      endChecks = every(CHECK_EVERY_MS, () => void checkOnce(), parts.timers);
    },
    async stop() {
      endChecks();
      await checking?.catch(() => undefined);
      try {
        await save();
      } catch (error) {
        onTrouble('the equity of the drawdown guard is not on disk', error);
      }
    },
  };
}

const subjectOf = ({ exchange, account }: AccountName): LimitSubject => ({
  kind: 'account',
  name: `${exchange}:${account}`,
});
const alarmOf = ({ name }: LimitSubject): string => `drawdown ${name}`;

async function throwSwitch(loss: Decimal, parts: DrawdownParts): Promise<void> {
  const { account: name, limitPercent, restrictions, onAlarm } = parts;
  const subject = subjectOf(name);
  const account = subject.name;
  const shown = toText(floorTo(loss, SHOWN_STEP));
  const reason = `drawdown guard: today ${account} lost ${shown} % of its equity, the limit is ${toText(limitPercent)} %`;
  // A switch of it that is on already holds back at least as much. The one over everything does not count: whoever turns
  // that off may know nothing of this loss.
  const killSwitch = { active: true, scope: 'entries', cancelEntries: true, reason, by: DRAWDOWN_ACTOR } as const;
  await restrictions.ensureKillSwitch(subject, killSwitch, DRAWDOWN_ACTOR);
  const remedy = `"signalbox kill-switch off --of ${subjectInWords(subject)}"`;
  onAlarm(
    alarmOf(subject),
    `Today ${account} lost ${shown} % of its equity: no new positions there until its kill switch is turned off (${remedy})`,
  );
}

/**
 * The day goes on, or a new one begins with what was there last: while nobody looked, positions went on gaining and
 * losing. Only what was seen within a day before counts; after a longer absence the day begins with the first look.
 */
function dayOf(before: DrawdownDay | undefined, equity: Decimal, nowMs: number): DrawdownDay {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  if (before?.day === day) return before;
  const dayStartMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const isRecent = before !== undefined && Math.abs(dayStartMs - before.lastSeenMs) <= DAY_MS;
  return { day, startEquity: isRecent ? before.lastEquity : equity, lastEquity: equity, lastSeenMs: nowMs };
}

/** Undefined where there was nothing to lose. */
function lossPercent(start: Decimal, equity: Decimal): Decimal | undefined {
  return start <= ZERO ? undefined : over(times(minus(start, equity), HUNDRED), start);
}

/** The next loss at which the switch is thrown: the limit, then twice the limit, three times the limit and so on. */
const nextStep = (tripped: Decimal | undefined, limit: Decimal): Decimal =>
  tripped === undefined ? limit : plus(floorTo(tripped, limit), limit);

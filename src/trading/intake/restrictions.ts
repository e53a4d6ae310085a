// What the owner allows: one row for a key, a strategy, an account or a symbol, with its limits, its pause and its kill switch.
//
// The same words hold for all four. Several rows may apply to one signal; each of them must allow it. Rows are stored, so
// they survive restarts; every change is audited and in force at once.

import type { Exchange } from '../../exchanges/exchange.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Action, SignalOrder } from '../signal.ts';
import type { AuditEntry, KillSwitch } from './controls.ts';
import type { TradingWindow } from './trading-windows.ts';

export const SUBJECT_KINDS = ['key', 'strategy', 'account', 'symbol'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** Whom a restriction is about; the owner is the person who sets it. */
export interface LimitSubject {
  readonly kind: SubjectKind;
  /**
   * The label of a key, the name of a strategy, an account as `binance:main`, or a market: `BTCUSDT` at every exchange,
   * `binance:BTCUSDT` at one.
   */
  readonly name: string;
}

/** What is absent is not limited. Amounts of money are in USDT. */
export interface TradeLimits {
  /** Lists of what is allowed. Those of a key bind every signal, the others entries only. */
  readonly venues?: readonly Exchange[];
  /** Plain market names. */
  readonly symbols?: readonly string[];
  readonly actions?: readonly Action[];
  /** As `binance:main`. */
  readonly accounts?: readonly string[];
  readonly largestOrder?: number;
  readonly largestPosition?: number;
  readonly openPositions?: number;
  /** The highest that an entry may ask for. */
  readonly leverage?: number;
  /** How far a limit price may be from the market. */
  readonly priceDeviationPercent?: number;
  /** The widest that a market order may go into. */
  readonly spreadPercent?: number;
  /** Of a UTC day, realised, after fees. */
  readonly dailyLoss?: number;
  /** Of a UTC day. */
  readonly entriesPerDay?: number;
  /** After a position of the market was closed. */
  readonly cooldownSeconds?: number;
  readonly lockAfterStops?: { readonly stops: number; readonly seconds: number };
  readonly tradingWindows?: readonly TradingWindow[];
  /** Entries a minute. */
  readonly rate?: number;
}

/** What is named changes, null takes a limit away, and the others stay. */
export type LimitPatch = { readonly [Limit in keyof TradeLimits]?: TradeLimits[Limit] | null | undefined };

/** What a key is for, and is made with: it is opened by name alone. */
const KEY_SCOPE = ['venues', 'symbols', 'actions', 'accounts'] as const;

export interface Pause {
  readonly sinceMs: number;
  readonly reason?: string;
  /** Withdraws opening orders that rest at the venues, as a kill switch does; absent means that they stay and may fill. */
  readonly cancelEntries?: boolean;
}

/** How a pause is asked for. */
export interface RequestedPause {
  readonly reason?: string | undefined;
  readonly cancelEntries?: boolean | undefined;
}

export interface Restriction extends LimitSubject {
  readonly limits: TradeLimits;
  readonly pause?: Pause;
  /** Absent means off. */
  readonly killSwitch?: KillSwitch;
}

/** Whom a signal concerns on one account. */
export interface Concerned {
  readonly keyLabel: string;
  readonly account: string;
  readonly order: Pick<SignalOrder, 'exchange' | 'market' | 'strategy'>;
}

/** The port. A change is durable when its promise resolves; it and its audit entry are one transaction. */
export interface RestrictionStore {
  /** Without waiting. What was changed is in it from the moment on at which the change resolves. */
  list(): readonly Restriction[];
  put(restriction: Restriction, entry: AuditEntry): Promise<void>;
  remove(subject: LimitSubject, entry: AuditEntry): Promise<void>;
  /** Called when something may have changed, in the same turn from which on it is read; absent where only this process changes it. */
  watch?(listener: () => void): void;
}

/** Enough for every market and strategy of a busy trader, and small enough to keep all of them in memory. */
export const MAX_RESTRICTIONS = 1000;
/** As the audit calls a change of one; its values are whole rows. */
export const RESTRICTION = 'restriction';

export class TooManyRestrictions extends Error {
  constructor() {
    super(`there are ${MAX_RESTRICTIONS} restrictions already; remove some first`);
    this.name = 'TooManyRestrictions';
  }
}

export const subjectInWords = ({ kind, name }: LimitSubject): string => `${kind}:${name}`;

/** `strategy:ema`, `account:binance:main`; undefined for what names none of them. */
export function readSubject(text: string): LimitSubject | undefined {
  const [, word = '', name = ''] = /^([a-z]+):(.+)$/i.exec(text) ?? [];
  const kind = SUBJECT_KINDS.find((known) => known === word.toLowerCase());
  return kind && name !== '' ? { kind, name } : undefined;
}

/** Nothing is limited, paused or switched off: there is no such row. */
export const isEmpty = ({ limits, pause, killSwitch }: Restriction): boolean =>
  !pause && !killSwitch && Object.keys(limits).length === 0;

export function patched(limits: TradeLimits, patch: LimitPatch): TradeLimits {
  const named = Object.entries(patch).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    Object.entries({ ...limits, ...Object.fromEntries(named) }).filter(([, value]) => value !== null),
  );
}

/** Whatever replaces the limits of a key says nothing about its scope, as long as it does not name it. */
export function keptScope({ kind, limits }: Restriction): TradeLimits {
  const isKept = (limit: string) => kind === 'key' && KEY_SCOPE.some((kept) => kept === limit);
  return Object.fromEntries(Object.entries(limits).filter(([limit]) => isKept(limit)));
}

/** What a row is to become, by how it is then; the same row changes nothing. */
type RowChange = (present: Restriction) => Restriction;

/** Every change is stored and in force when it resolves. */
export class Restrictions {
  readonly #store: RestrictionStore;
  readonly #nowMs: () => number;
  #rows: ReadonlyMap<string, Restriction> = new Map();
  readonly #listeners: ((changed: Restriction, actor?: string) => void)[] = [];
  /** What is being changed here: that is told when it is done, with who did it. */
  #changing: string | undefined;
  /** One after the other: each is made from what the one before has left in force. */
  readonly #changes = new SerialQueue();

  constructor({ store, nowMs }: { readonly store: RestrictionStore; readonly nowMs: () => number }) {
    this.#store = store;
    this.#nowMs = nowMs;
    this.#takeStored();
    store.watch?.(() => {
      for (const row of this.#takeStored()) if (subjectInWords(row) !== this.#changing) this.#tell(row);
    });
  }

  /** By kind and name. */
  list(): readonly Restriction[] {
    return [...this.#rows.values()].sort((a, b) => (subjectInWords(a) < subjectInWords(b) ? -1 : 1));
  }

  find(subject: LimitSubject): Restriction | undefined {
    return this.#rows.get(subjectInWords(subject));
  }

  /** Those that apply to a signal on one account; most often none. */
  of({ keyLabel, account, order }: Concerned): readonly Restriction[] {
    if (this.#rows.size === 0) return [];
    const { exchange, market, strategy } = order;
    const names = [
      `key:${keyLabel}`,
      ...(strategy === undefined ? [] : [`strategy:${strategy}`]),
      `account:${exchange}:${account}`,
      `symbol:${market}`,
      `symbol:${exchange}:${market}`,
    ];
    return names.flatMap((name) => this.#rows.get(name) ?? []);
  }

  /** Replaces the limits as a whole; none of them leaves the pause and the kill switch as they are. */
  setLimits(subject: LimitSubject, limits: TradeLimits, actor: string): Promise<Restriction> {
    return this.changeLimits(subject, () => limits, actor);
  }

  /** From the limits that are in force then: of two who change different ones at the same moment, neither loses his. */
  changeLimits(
    subject: LimitSubject,
    limitsFor: (present: Restriction) => TradeLimits,
    actor: string,
  ): Promise<Restriction> {
    return this.#change(subject, (present) => ({ ...present, limits: limitsFor(present) }), actor);
  }

  pause(subject: LimitSubject, { reason, cancelEntries }: RequestedPause, actor: string): Promise<Restriction> {
    const paused: RowChange = ({ pause: before, ...row }) => {
      const sinceMs = before?.sinceMs ?? this.#nowMs();
      const how = { ...(reason !== undefined && { reason }), ...(cancelEntries && { cancelEntries }) };
      return { ...row, pause: { sinceMs, ...how } };
    };
    return this.#change(subject, paused, actor);
  }

  resume(subject: LimitSubject, actor: string): Promise<Restriction> {
    return this.#change(subject, ({ pause: _, ...row }) => row, actor);
  }

  turnKillSwitch(subject: LimitSubject, killSwitch: KillSwitch, actor: string): Promise<Restriction> {
    const turned: RowChange = ({ killSwitch: _, ...row }) => (killSwitch.active ? { ...row, killSwitch } : row);
    return this.#change(subject, turned, actor);
  }

  /** Leaves one that is on as it is: it may hold back more. */
  ensureKillSwitch(subject: LimitSubject, killSwitch: KillSwitch, actor: string): Promise<Restriction> {
    return this.#change(subject, (row) => (row.killSwitch?.active ? row : { ...row, killSwitch }), actor);
  }

  /** Everything of one of them: a new key of an old label begins afresh. */
  async clear(subject: LimitSubject, actor: string): Promise<void> {
    await this.#change(subject, ({ kind, name }) => ({ kind, name, limits: {} }), actor);
  }

  /** Called after every change, with what is in force of its subject then, and who made it, where that is known. */
  watch(listener: (changed: Restriction, actor?: string) => void): void {
    this.#listeners.push(listener);
  }

  #present({ kind, name }: LimitSubject): Restriction {
    return this.find({ kind, name }) ?? { kind, name, limits: {} };
  }

  #change(subject: LimitSubject, changed: RowChange, actor: string): Promise<Restriction> {
    return this.#changes.run(() => {
      const present = this.#present(subject);
      const row = changed(present);
      return row === present ? row : this.#keep(row, actor);
    });
  }

  /** Stored first, and only then in force. */
  async #keep(row: Restriction, actor: string): Promise<Restriction> {
    const name = subjectInWords(row);
    const before = this.#rows.get(name);
    const isGone = isEmpty(row);
    if (isGone && before === undefined) return row;
    // A kill switch is never refused for want of room.
    const isFull = this.#rows.size >= MAX_RESTRICTIONS && !row.killSwitch;
    if (before === undefined && isFull) throw new TooManyRestrictions();
    const entry: AuditEntry = {
      ...{ atMs: this.#nowMs(), actor, setting: RESTRICTION },
      before: before === undefined ? null : JSON.stringify(before),
      after: isGone ? null : JSON.stringify(row),
    };
    this.#changing = name;
    try {
      if (isGone) await this.#store.remove(row, entry);
      else await this.#store.put(row, entry);
    } finally {
      this.#changing = undefined;
    }
    this.#takeStored();
    this.#tell(row, actor);
    return row;
  }

  #tell(row: Restriction, actor?: string): void {
    for (const listener of this.#listeners) listener(row, actor);
  }

  /** What is stored is in force, whoever has stored it. Returns what has changed; of what is gone, a row without anything. */
  #takeStored(): readonly Restriction[] {
    const before = this.#rows;
    this.#rows = new Map(this.#store.list().map((row) => [subjectInWords(row), row]));
    const gone = [...before]
      .filter(([name]) => !this.#rows.has(name))
      .map(([, { kind, name }]) => ({ kind, name, limits: {} }));
    const isNew = ([name, row]: [string, Restriction]) => JSON.stringify(row) !== JSON.stringify(before.get(name));
    return [...gone, ...[...this.#rows].filter(isNew).map(([, row]) => row)];
  }
}

// The equity of every account over time: sampled every five minutes, and soon after every fill.
//
// Samples are taken beside trading and written together, never on the road of a signal: fills are noticed by looking at
// the positions every few seconds. A sample that is lost in a crash is a point of a picture, and no money: balances and
// fills are in the journal.

import { every } from '../../timing/every.ts';
import { SerialQueue } from '../../timing/serial-queue.ts';
import type { Timers } from '../../timing/timers.ts';
import { withTimeout } from '../../timing/with-timeout.ts';
import { type AccountName, type Accounts, nameOf } from '../accounts.ts';
import type { Decimal } from '../decimal.ts';
import { type Venue, VenueError } from '../venue.ts';
import { type AccountFilter, accountsOf, DAY_MS } from './account-reports.ts';
import type { Journal } from './journal.ts';

export interface EquityPoint {
  readonly atMs: number;
  readonly equity: Decimal;
  readonly balance: Decimal;
}

export interface EquitySample extends AccountName, EquityPoint {}

export interface EquityRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** At most so many points: where there are more, the last one of each of so many equal stretches of time. */
  readonly limit: number;
}

export interface EquityStore {
  /** Adds them, and thins out what is older: `keep` tells how finely. */
  add(samples: readonly EquitySample[], keep: readonly KeptAge[]): Promise<void>;
  /** Oldest first. */
  points(account: AccountName, range: EquityRange): Promise<readonly EquityPoint[]>;
}

/** Of what is older, only the last sample of each so long stretch is kept; with 0 none is. */
export interface KeptAge {
  readonly beforeMs: number;
  readonly everyMs: number;
}

export interface EquityCurve extends AccountName {
  readonly points: readonly EquityPoint[];
}

export interface EquityParts {
  readonly accounts: Pick<Accounts, 'list'>;
  readonly journal: Pick<Journal, 'positions'>;
  readonly store: EquityStore;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export const SAMPLE_EVERY_MS = 300_000;
/** How soon a fill is in the curve. */
const LOOK_EVERY_MS = 5_000;
const HOUR_MS = 3_600_000;
const STOP_MS = 2000;
export const KEPT_DAYS = 400;

export class EquityCurves {
  readonly #parts: EquityParts;
  /** One look at a time. */
  readonly #looks = new SerialQueue();
  /** Of each account, the moment of the last fill that is in its curve. */
  readonly #filledAtMs = new Map<string, number>();
  #sampledAtMs = Number.NEGATIVE_INFINITY;
  #thinnedAtMs = Number.NEGATIVE_INFINITY;
  #end = (): void => {};

  constructor(parts: EquityParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#end = every(LOOK_EVERY_MS, () => void this.look(), this.#parts.timers);
    void this.look();
  }

  /** Samples what is due; never rejects. */
  look(): Promise<void> {
    return this.#looks
      .run(() => this.#sample())
      .catch((error) => this.#parts.onTrouble('the equity was not sampled', error));
  }

  /** Of each account that fits. */
  async curves(filter: AccountFilter, range: EquityRange): Promise<readonly EquityCurve[]> {
    return Promise.all(
      accountsOf(this.#parts.accounts, filter).map(async ({ exchange, mode, account }) => ({
        ...{ exchange, mode, account },
        points: await this.#parts.store.points({ exchange, mode, account }, range),
      })),
    );
  }

  async stop(): Promise<void> {
    this.#end();
    // Not for long: a venue that does not answer is closed next, which ends the question.
    await withTimeout(this.#looks.idle(), STOP_MS, () => undefined, this.#parts.timers);
  }

  async #sample(): Promise<void> {
    const { accounts, store, nowMs } = this.#parts;
    const now = nowMs();
    const isDue = Math.abs(now - this.#sampledAtMs) >= SAMPLE_EVERY_MS;
    const filled = await this.#filled();
    const venues = accounts.list().filter((venue) => isDue || filled.has(nameOf(venue)));
    const samples = await Promise.all(venues.map((venue) => sampleOf(venue, now)));
    const known = samples.filter((sample) => sample !== undefined);
    const isOld = Math.abs(now - this.#thinnedAtMs) >= HOUR_MS;
    if (known.length > 0) await store.add(known, isOld ? keptAges(now) : []);
    if (isDue) this.#sampledAtMs = now;
    if (isOld) this.#thinnedAtMs = now;
    for (const sample of known) {
      const atMs = filled.get(nameOf(sample));
      if (atMs !== undefined) this.#filledAtMs.set(nameOf(sample), atMs);
    }
  }

  /** Accounts with a fill that is not in their curve, and when the last one was. */
  async #filled(): Promise<ReadonlyMap<string, number>> {
    const last = new Map<string, number>();
    for (const position of await this.#parts.journal.positions()) {
      const name = nameOf(position);
      last.set(name, Math.max(last.get(name) ?? 0, position.updatedAtMs));
    }
    return new Map([...last].filter(([name, atMs]) => atMs > (this.#filledAtMs.get(name) ?? 0)));
  }
}

/** Undefined while a price is missing: the next look tries again. */
async function sampleOf(venue: Venue, atMs: number): Promise<EquitySample | undefined> {
  const { exchange, mode, account } = venue;
  try {
    const { equity, balance } = await venue.summary();
    return { exchange, mode, account, atMs, equity, balance };
  } catch (error) {
    if (error instanceof VenueError) return undefined;
    throw error;
  }
}

/** Everything for a week, hours for two months, days for the rest of 400. */
const keptAges = (nowMs: number): readonly KeptAge[] => [
  { beforeMs: nowMs - KEPT_DAYS * DAY_MS, everyMs: 0 },
  { beforeMs: nowMs - 60 * DAY_MS, everyMs: DAY_MS },
  { beforeMs: nowMs - 7 * DAY_MS, everyMs: HOUR_MS },
];

// The report of the day: at its hour, once, to the owner's chat and the channels that want it.
//
// A day's report covers the time from the hour of the report before it, so that every trade is in exactly one of them.
// Whether it was sent is in storage, in one step with what is sent: a kill at any moment neither loses nor doubles it.
// Who was off at the hour sends it later that day; a day that has passed is left out.

import { every } from '../../timing/every.ts';
import type { Timers } from '../../timing/timers.ts';
import { type PricesOf, type ShownPrices, sourcesInWords } from '../account-prices.ts';
import type { AccountReports } from '../books/account-reports.ts';
import type { Journal } from '../books/journal.ts';
import type { Channel, ChannelOutbox } from '../books/outbox.ts';
import { type PerformanceReports, TooManyFills } from '../books/performance-reports.ts';
import { ticksOf } from '../books/shown-amounts.ts';
import { decimal, ZERO } from '../decimal.ts';
import type { Refusals, RefusedSignal } from '../intake/refusals.ts';
import { plainOf } from '../notifications/markup.ts';
import type { Venue } from '../venue.ts';
import { positionLine } from './render.ts';
import { accountLine, namedWithMode, performanceLine } from './render-money.ts';
import { clockText, dayBefore, ZoneClock } from './zone-clock.ts';

export interface DayFacts {
  readonly accountReports: AccountReports;
  readonly performanceReports: PerformanceReports;
  readonly journal: Pick<Journal, 'positions'>;
  readonly refusals: Pick<Refusals, 'list'>;
  readonly venues: readonly Pick<Venue, 'exchange' | 'mode' | 'tickOf'>[];
  readonly pricesOf: PricesOf<ShownPrices>;
}

export interface DailyReportParts extends DayFacts {
  /** Minutes since midnight, by the clock of the zone. */
  readonly atMinutes: number;
  readonly zone: string;
  readonly outbox: Pick<ChannelOutbox, 'addReport'>;
  readonly channels: readonly Channel[];
  readonly forChat: boolean;
  readonly nowMs: () => number;
  readonly timers: Timers;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

const LOOK_EVERY_MS = 20_000;
/** Lines of one kind; a phone shows no more at a glance. */
const MAX_LINES = 15;
const REFUSALS_PAGE = 100;
const MAX_REFUSALS = 1000;

export class DailyReports {
  readonly #parts: DailyReportParts;
  readonly #clock: ZoneClock;
  #doneDay = '';
  #end = (): void => {};
  #looking: Promise<void> | undefined;

  constructor(parts: DailyReportParts) {
    this.#parts = parts;
    this.#clock = new ZoneClock(parts.zone);
  }

  start(): void {
    const look = (): void =>
      void this.look().catch((error) => this.#parts.onTrouble('the daily report is late', error));
    look();
    this.#end = every(LOOK_EVERY_MS, look, this.#parts.timers);
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#looking?.catch(() => {});
  }

  /** Whether it is time, and if so, puts the report up. */
  look(): Promise<void> {
    this.#looking ??= this.#putUp().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #putUp(): Promise<void> {
    const { atMinutes, outbox, channels, forChat, nowMs } = this.#parts;
    const { day, minutes } = this.#clock.at(nowMs());
    if (minutes < atMinutes || day === this.#doneDay) return;
    const summary = await this.#text(day);
    // What was worked out over midnight belongs to a day that has passed.
    if (this.#clock.at(nowMs()).day !== day) return;
    const message = { kind: 'notice', topic: 'report', summary } as const;
    await outbox.addReport({ day, channels, forChat, message, atMs: nowMs() });
    this.#doneDay = day;
  }

  async #text(day: string): Promise<string> {
    const { atMinutes, zone, venues, pricesOf } = this.#parts;
    const [from, to] = [dayBefore(day), day].map((of) => this.#clock.firstMs({ day: of, minutes: atMinutes }));
    const stretch = { fromMs: from as number, toMs: to as number };
    const at = clockText(atMinutes);
    return [
      `Daily report of ${day}, ${at} (${zone}), in USDT, prices: ${sourcesInWords(venues, pricesOf)}`,
      `Since ${dayBefore(day)}, ${at}: ${await resultOf(this.#parts, stretch)}`,
      ...section('Accounts', await accountLines(this.#parts)),
      ...section('Open positions', await positionLines(this.#parts)),
      `Refused signals: ${await refusalsOf(this.#parts, stretch)}`,
    ].join('\n');
  }
}

async function resultOf({ performanceReports }: DayFacts, stretch: Stretch): Promise<string> {
  try {
    const reports = await performanceReports({}, { by: 'account', ...stretch });
    const lines = reports.map(({ mode, total }) =>
      performanceLine(namedWithMode('result after fees', mode, reports.length === 1), total),
    );
    return plainOf(lines.join('; '));
  } catch (error) {
    // The rest of the report is worth telling all the same.
    if (error instanceof TooManyFills) return `not worked out, ${error.message}`;
    throw error;
  }
}

const accountLines = async ({ accountReports }: DayFacts): Promise<readonly string[]> =>
  (await accountReports({})).map((report) => plainOf(accountLine(report)));

async function positionLines({ journal, pricesOf, venues }: DayFacts): Promise<readonly string[]> {
  const tickOf = ticksOf(venues);
  const open = (await journal.positions()).filter(({ quantity }) => quantity > ZERO);
  return Promise.all(
    open.map(async (position) => {
      const { exchange, market } = position;
      // A market without a price still has a position worth telling.
      const mark = await pricesOf(position)
        .lastPrice(market)
        .then(decimal, () => undefined);
      return plainOf(positionLine(position, mark, tickOf(exchange, market)));
    }),
  );
}

/** Those under a key of the owner, by what refused them. */
async function refusalsOf({ refusals }: DayFacts, { fromMs, toMs }: Stretch): Promise<string> {
  const counts = new Map<string, number>();
  let beforeId: string | undefined;
  for (let seen = 0; seen < MAX_REFUSALS; seen += REFUSALS_PAGE) {
    const page: readonly RefusedSignal[] = (await refusals.list({ limit: REFUSALS_PAGE, beforeId })) ?? [];
    const those = page.filter(
      (one) => one.keyLabel !== undefined && one.receivedAtMs >= fromMs && one.receivedAtMs < toMs,
    );
    for (const { code } of those) counts.set(code, (counts.get(code) ?? 0) + 1);
    const last = page.at(-1);
    if (last === undefined || page.length < REFUSALS_PAGE || last.receivedAtMs < fromMs)
      return countsInWords(counts, '');
    beforeId = last.id;
  }
  return countsInWords(counts, ' or more');
}

function countsInWords(counts: ReadonlyMap<string, number>, more: string): string {
  if (counts.size === 0) return 'none';
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const each = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${count} ${code}`);
  return `${all}${more} (${each.join(', ')})`;
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [`${heading}: none`];
  const left = lines.length - MAX_LINES;
  return [`${heading}:`, ...lines.slice(0, MAX_LINES), ...(left > 0 ? [`… and ${left} more`] : [])];
}

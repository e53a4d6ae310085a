// What `alert()` raised in a run, by the frequency of each call site.
//
// A live bar runs again on every tick, each time from the state before the bar; an alert that went out cannot be called
// back, so nothing here is rolled back. Of one call site:
//
//   all                  every call alerts
//   once_per_bar         the first call on a bar alerts, on whichever tick
//   once_per_bar_close   the first call on the closing update alerts; bars of history are closed
//
// A function called from two places is two call sites.

import { PineRuntimeError } from '../values/index.ts';
import { type MessageLimits, RecentMessages } from './recent-messages.ts';

export const ALERT_FREQUENCIES = ['all', 'once_per_bar', 'once_per_bar_close'] as const;
export type AlertFrequency = (typeof ALERT_FREQUENCIES)[number];

export interface AlertItem {
  readonly message: string;
  readonly freq: AlertFrequency;
  readonly barIndex: number;
  /** Opening time of the bar. */
  readonly timeMs: number;
  readonly source: 'alert' | 'alertcondition';
  /** Of an alertcondition that has one. */
  readonly title?: string;
  /** Of alert(): the number of its call site, the same in every run of the script. */
  readonly site?: number;
}

/** The bar that is being run. */
export interface AlertHost {
  readonly barIndex: () => number;
  readonly timeMs: () => number;
  /** Whether this is the bar's last run: in history always, live only on the closing update. */
  readonly isClosing: () => boolean;
}

export class Alerts {
  readonly host: AlertHost;
  private readonly kept: RecentMessages<AlertItem>;
  private sites = 0;

  constructor(host: AlertHost, limits?: MessageLimits) {
    this.host = host;
    this.kept = new RecentMessages(limits);
  }

  newSite(): number {
    this.sites += 1;
    return this.sites;
  }

  add(item: AlertItem): void {
    this.kept.add(item);
  }

  /** How many were ever raised; hand it to `list` later for what came since. */
  get total(): number {
    return this.kept.total;
  }

  /** How many old ones had to make room. */
  get dropped(): number {
    return this.kept.dropped;
  }

  /** Oldest first. */
  list(seen = 0): AlertItem[] {
    return this.kept.list(seen);
  }
}

/** One call site of `alert()`. */
export class AlertSite {
  private readonly alerts: Alerts;
  private readonly number: number;
  private alertedBar = -1;

  constructor(alerts: Alerts) {
    this.alerts = alerts;
    this.number = alerts.newSite();
  }

  /** `alert(message, freq)`; the frequency as the constants `alert.freq_*` have it. */
  next(message: string | null, freq = 'freq_once_per_bar'): void {
    const { host } = this.alerts;
    const frequency = frequencyOf(freq);
    const barIndex = host.barIndex();
    if (frequency !== 'all' && this.alertedBar === barIndex) return;
    if (frequency === 'once_per_bar_close' && !host.isClosing()) return;
    this.alertedBar = barIndex;
    this.alerts.add({
      message: message ?? 'NaN',
      freq: frequency,
      barIndex,
      timeMs: host.timeMs(),
      source: 'alert',
      site: this.number,
    });
  }
}

function frequencyOf(text: string): AlertFrequency {
  const name = text.replace(/^freq_/, '');
  const known = ALERT_FREQUENCIES.find((frequency) => frequency === name);
  if (known !== undefined) return known;
  throw new PineRuntimeError(
    `In 'alert()' function. "${text.slice(0, 40)}" is not a frequency. Use alert.freq_all, alert.freq_once_per_bar or alert.freq_once_per_bar_close.`,
  );
}

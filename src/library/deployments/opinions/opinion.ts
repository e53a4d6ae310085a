// A second opinion: one alert that TradingView should send, as our own run of the same script has it, and what came of it.
//
//     our script has it                          TradingView's alert comes first
//            │                                                │
//            ▼                                                ▼
//        expected ── it comes in time ──► confirmed ◄───── arrived      our script has it too
//            │ └──── it says other things ► different ◄───────┤
//            │                                                ├── we could not look ─► no-opinion
//            ├── the close of its bar does not have it ► repainted ◄── it came on an open bar that closed without it
//            │                                                └── our script does not have it ─► extra
//            └── nothing came in time ──► missing
//                                           ├── by setting, sent by us under the same id
//                                           └── it comes after all ──► late
//
// Whatever was said while only one of the two was there (missing, extra, no-opinion) is put right when the other comes. Each
// state is stored together with its line in the log and its count, and the owner is told after that: so a crash may lose an
// alarm, whose words are in the log and in the record, but nothing is alarmed twice.

import type { AlertArrival } from '../ports.ts';

export const OPINION_STATES = [
  'expected',
  'arrived',
  'confirmed',
  'late',
  'missing',
  'different',
  'repainted',
  'extra',
  'no-opinion',
] as const;
export type OpinionState = (typeof OPINION_STATES)[number];

/** What our script has, in the words of a signal. */
export interface ExpectedAlert {
  readonly eventId: string;
  readonly atMs: number;
  /** LONG, SHORT, CLOSE_LONG or CLOSE_SHORT. */
  readonly action: string;
  /** Null where the message has none that can be compared. */
  readonly quantity: number | null;
  readonly price: number | null;
  /** Position before it, positive long; null where the alert of an indicator does not tell it. */
  readonly before: number | null;
  /** The signal that stands for the alert when it does not come. */
  readonly message: string;
}

export interface Opinion {
  readonly deploymentId: string;
  /** The name of the alert: of two alerts with one name the gateway trades one. */
  readonly alertId: string;
  readonly state: OpinionState;
  /** Null where the name does not tell it. */
  readonly barTimeMs: number | null;
  readonly expected: ExpectedAlert | null;
  readonly arrival: AlertArrival | null;
  /** Our script had it on a tick, and the close of the bar does not have it any more. */
  readonly isGone: boolean;
  /** What became of sending it ourselves; null while that was not tried. */
  readonly sent: string | null;
  /** Why it is in this state; empty where that says everything. */
  readonly words: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** How often each was said, and how often we sent an alert that was missing. */
export type OpinionCounts = Readonly<Partial<Record<OpinionState | 'sent', number>>>;

/**
 * After this an alert is named missing. Both sides see the same close: their bars and ours differ by a second or two, an
 * alert is on its way for some seconds more, and a busy hour of TradingView adds to that.
 */
export const DEFAULT_LATE_AFTER_S = 15;
/** A little later: most alerts that are late come within these seconds, and then nothing has to be sent. */
export const DEFAULT_SEND_AFTER_S = 25;
/** A signal that is older than SIGNAL_MAX_AGE_S, a minute by default, is not traded. */
export const MAX_SEND_AFTER_S = 55;
/** Sizes in percent of equity differ by as much as the prices of two feeds do. */
export const DEFAULT_QUANTITY_TOLERANCE_PERCENT = 1;
/** Venues differ by some hundredths of a percent; half a percent is another fill. */
export const DEFAULT_PRICE_TOLERANCE_PERCENT = 0.5;
/** From here on nothing is compared. */
export const ANY_PERCENT = 100;
/** As many as events; counts go on. */
export const KEPT_OPINIONS = 1000;

/** What `sent` begins with when the gateway has traded it for us. */
export const SENT_BY_US = 'sent by us';

// What `log.info()`, `log.warning()` and `log.error()` wrote in a run. Ticks of a live bar write like any other run of
// the script, and nothing written is taken back.

import { formatMessage } from '../values/strings/message-format.ts';
import { type MessageLimits, RecentMessages } from './recent-messages.ts';

export type LogLevel = 'info' | 'warning' | 'error';

export interface LogItem {
  readonly level: LogLevel;
  readonly message: string;
  readonly barIndex: number;
  /** Line of the call in the script, from 1. */
  readonly line: number;
}

export interface LogHost {
  readonly barIndex: () => number;
  readonly mintick: number;
}

export class Logs {
  private readonly host: LogHost;
  private readonly kept: RecentMessages<LogItem>;

  constructor(host: LogHost, limits?: MessageLimits) {
    this.host = host;
    this.kept = new RecentMessages(limits);
  }

  /** `log.level(message)`, or `log.level(format, values…)` as in str.format; a message alone is not a format. */
  write(level: LogLevel, line: number, message: string | null, ...values: readonly unknown[]): void {
    const text = message ?? 'NaN';
    this.kept.add({
      level,
      message: values.length === 0 ? text : formatMessage(text, values, this.host.mintick),
      barIndex: this.host.barIndex(),
      line,
    });
  }

  /** How many were ever written; hand it to `list` later for what came since. */
  get total(): number {
    return this.kept.total;
  }

  /** How many old ones had to make room. */
  get dropped(): number {
    return this.kept.dropped;
  }

  /** Oldest first. */
  list(seen = 0): LogItem[] {
    return this.kept.list(seen);
  }
}

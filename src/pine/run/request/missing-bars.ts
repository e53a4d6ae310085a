// The error of a request for which there are no bars; whoever runs the script may have them, and run it again.

import { PineRuntimeError, timeframes } from '../../values/index.ts';

export interface MissingBars {
  /** As the script writes it, without what makes other bars of its bars. */
  readonly symbol: string;
  /** Bars that would do: the timeframe itself, or days for what is longer. */
  readonly timeframe: string;
  readonly timeframeMs: number;
}

export class MissingBarsError extends PineRuntimeError {
  readonly missing: MissingBars;

  constructor(message: string, symbol: string, timeframe: string) {
    super(message);
    const frame = timeframes.parseTimeframe(timeframe);
    const enough = timeframes.isDwm(frame) ? timeframes.parseTimeframe('1D') : frame;
    this.missing = {
      symbol,
      timeframe: timeframes.formatTimeframe(enough),
      timeframeMs: timeframes.inSeconds(enough) * 1000,
    };
  }
}

// Walk-forward: the range is cut into windows; the best of each is tried on the time that follows it, which it has not seen.
//
//   rolling    [ in-sample ][ out ]                anchored   [ in-sample ][ out ]
//                    [ in-sample ][ out ]                     [ in-sample       ][ out ]
//                           [ in-sample ][ out ]              [ in-sample              ][ out ]

export interface WalkForward {
  readonly inSampleMs: number;
  readonly outOfSampleMs: number;
  /** Whether every in-sample begins where the first one does, and grows. */
  readonly isAnchored: boolean;
}

/** Moments in ms; the end is not included. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Window {
  readonly inSample: TimeRange;
  /** The last one may be cut short by the end of the bars. */
  readonly outOfSample: TimeRange;
}

/** Each is a search of its own; finer windows hold too few trades to say anything. */
export const MAX_WINDOWS = 100;

export const windowCount = (range: TimeRange, { inSampleMs, outOfSampleMs }: WalkForward): number =>
  Math.max(0, Math.ceil((range.toMs - range.fromMs - inSampleMs) / outOfSampleMs));

export function windowsOf(range: TimeRange, walk: WalkForward): Window[] {
  const { inSampleMs, outOfSampleMs, isAnchored } = walk;
  return Array.from({ length: windowCount(range, walk) }, (_, index) => {
    const shiftMs = index * outOfSampleMs;
    const splitMs = range.fromMs + inSampleMs + shiftMs;
    return {
      inSample: { fromMs: range.fromMs + (isAnchored ? 0 : shiftMs), toMs: splitMs },
      outOfSample: { fromMs: splitMs, toMs: Math.min(splitMs + outOfSampleMs, range.toMs) },
    };
  });
}

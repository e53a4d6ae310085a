// The fixed window that lets 30 runs a minute pass, or another number of calls, as a pure function, and the windows of everybody.

/** Every key may run a script so often in one window; the specification's limit, with or without a key. */
export const RUNS_PER_WINDOW = 30;
export const WINDOW_MS = 60_000;
/** Windows are small (some 100 bytes): this is room for a crowd, and still an end to what strangers can fill. */
const MAX_WINDOWS = 50_000;

/** The time from a first run until a minute later, and how many runs were let in. */
export interface RunWindow {
  readonly startMs: number;
  readonly runs: number;
}

export interface RunTurn {
  readonly admitted: boolean;
  /** What to hand in the next time. */
  readonly window: RunWindow;
  readonly remaining: number;
  /** Whole seconds, from 1 to 60, until a full window opens: what Retry-After says. */
  readonly resetSeconds: number;
}

/**
 * A window opens with the first run, not with the minute of the clock: otherwise a burst over the turn of a minute would
 * pass twice. Refused runs neither count nor lengthen it.
 */
export function takeTurn(window: RunWindow | undefined, nowMs: number, runsPerWindow = RUNS_PER_WINDOW): RunTurn {
  const { startMs, runs } = currentWindow(window, nowMs);
  const admitted = runs < runsPerWindow;
  const next = { startMs, runs: admitted ? runs + 1 : runs };
  return {
    admitted,
    window: next,
    remaining: runsPerWindow - next.runs,
    resetSeconds: Math.ceil((startMs + WINDOW_MS - nowMs) / 1000),
  };
}

function currentWindow(window: RunWindow | undefined, nowMs: number): RunWindow {
  if (window === undefined || nowMs >= window.startMs + WINDOW_MS) return { startMs: nowMs, runs: 0 };
  // A clock that was set back gives no new runs, and shuts nobody out for longer than a window.
  return nowMs < window.startMs ? { startMs: nowMs, runs: window.runs } : window;
}

export interface RunWindows {
  /** The subject is a user, else a key, else an address. */
  take(subject: string): Omit<RunTurn, 'window'>;
}

export interface RunWindowsOptions {
  readonly nowMs: () => number;
  /** 30 unless other calls than runs are counted. */
  readonly runsPerWindow?: number;
  readonly maxWindows?: number;
}

export function createRunWindows({
  nowMs,
  runsPerWindow = RUNS_PER_WINDOW,
  maxWindows = MAX_WINDOWS,
}: RunWindowsOptions): RunWindows {
  /** In the order in which they opened, because a window that opens goes to the end. */
  const windows = new Map<string, RunWindow>();

  function makeRoom(now: number): void {
    for (const [subject, { startMs }] of windows) {
      // The one nearest its end gives way when all are open: it loses least.
      if (windows.size < maxWindows && now < startMs + WINDOW_MS) return;
      windows.delete(subject);
    }
  }

  return {
    take(subject) {
      const now = nowMs();
      const before = windows.get(subject);
      const { window, ...turn } = takeTurn(before, now, runsPerWindow);
      if (window.startMs !== before?.startMs) {
        windows.delete(subject);
        makeRoom(now);
      }
      windows.set(subject, window);
      return turn;
    },
  };
}

// A bar on the terminal while a long run goes on; a quick one never shows it.

import type { ScriptHost } from './host.ts';

/** Who waits shorter than this does not wonder. */
const QUIET_MS = 500;
const REDRAW_MS = 100;
const BAR_CELLS = 24;
const CLEAR_LINE = '\r\u001b[2K';

export interface Progress {
  /** The shared counter of bars done. */
  readonly counter: Int32Array;
  stop(): void;
}

export function startProgress(screen: ScriptHost['screen'], bars: number, doing = 'Running', unit = 'bars'): Progress {
  const counter = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  if (screen === undefined) return { counter, stop: () => {} };
  const startedMs = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs < QUIET_MS) return;
    isShown = true;
    screen.write(
      `${CLEAR_LINE}${progressLine(Atomics.load(counter, 0), bars, elapsedMs, screen.columns, doing, unit)}`,
    );
  }, REDRAW_MS);
  const wipe = (): void => {
    if (isShown) screen.write(CLEAR_LINE);
  };
  const forget = screen.onInterrupt(wipe);
  return {
    counter,
    stop() {
      clearInterval(timer);
      forget();
      wipe();
    },
  };
}

/**
 * Without a count yet (it is being compiled), only the time passes. A line longer than the terminal is wide would leave
 * its beginning behind with every turn, so that a narrow one gets less.
 */
export function progressLine(
  done: number,
  bars: number,
  elapsedMs: number,
  columns: number,
  doing = 'Running',
  unit = 'bars',
): string {
  const seconds = `${(elapsedMs / 1000).toFixed(0)} s`;
  if (done <= 0) return `${doing} ${seconds}`;
  const share = Math.min(done / bars, 1);
  const full = Math.floor(share * BAR_CELLS);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
  const count = (value: number): string => value.toLocaleString('en-US');
  const percent = `${Math.floor(share * 100)}%`;
  const counted = `${count(Math.min(done, bars))} of ${count(bars)} ${unit}`;
  const forms = [
    `${bar} ${percent}, ${counted}, ${seconds}`,
    `${percent}, ${counted}, ${seconds}`,
    `${percent}, ${seconds}`,
  ].map((form) => `${doing} ${form}`);
  return forms.find((form) => form.length < columns) ?? percent;
}

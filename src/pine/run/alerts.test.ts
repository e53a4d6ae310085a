// Tests of alert(): its frequencies in history and live, and the bound on what is kept.

import { describe, expect, it } from 'vitest';
import { errorOf } from '../values/testing/library.ts';
import { AlertSite, Alerts } from './alerts.ts';
import { MAX_MESSAGES } from './recent-messages.ts';

/** A run of which the test moves the bar. */
function openRun() {
  const bar = { index: 0, isClosing: true };
  const alerts = new Alerts({
    barIndex: () => bar.index,
    timeMs: () => bar.index * 60_000,
    isClosing: () => bar.isClosing,
  });
  return { bar, alerts, texts: () => alerts.list().map(({ message, barIndex }) => `${message}@${barIndex}`) };
}

const FREQUENCIES = ['freq_all', 'freq_once_per_bar', 'freq_once_per_bar_close'] as const;

describe('alert()', () => {
  it('is collected on every bar of history, with its frequency, bar and time', () => {
    const { bar, alerts } = openRun();
    const site = new AlertSite(alerts);
    for (bar.index = 0; bar.index < 2; bar.index += 1) site.next(`at ${bar.index}`);
    expect(alerts.list()).toEqual([
      { message: 'at 0', freq: 'once_per_bar', barIndex: 0, timeMs: 0, source: 'alert', site: 1 },
      { message: 'at 1', freq: 'once_per_bar', barIndex: 1, timeMs: 60_000, source: 'alert', site: 1 },
    ]);
  });

  it('called several times on one bar alerts each time only with freq_all', () => {
    const counts = FREQUENCIES.map((freq) => {
      const { alerts } = openRun();
      const site = new AlertSite(alerts);
      for (let turn = 0; turn < 3; turn += 1) site.next(`${turn}`, freq);
      return alerts.list().map(({ message }) => message);
    });
    expect(counts).toEqual([['0', '1', '2'], ['0'], ['0']]);
  });

  it('counts each call site for itself', () => {
    const { alerts, texts } = openRun();
    const [one, other] = [new AlertSite(alerts), new AlertSite(alerts)];
    for (const site of [one, other, one]) site.next('x', 'freq_once_per_bar');
    expect(texts()).toEqual(['x@0', 'x@0']);
  });

  it('on the ticks of a live bar goes out by its frequency and is never taken back', () => {
    const byFrequency = FREQUENCIES.map((freq) => {
      const { bar, alerts, texts } = openRun();
      const site = new AlertSite(alerts);
      bar.index = 7;
      for (const [tick, isClosing] of [false, false, true].entries()) {
        bar.isClosing = isClosing;
        site.next(`tick ${tick}`, freq);
      }
      bar.index = 8;
      bar.isClosing = false;
      site.next('next', freq);
      return texts();
    });
    expect(byFrequency).toEqual([['tick 0@7', 'tick 1@7', 'tick 2@7', 'next@8'], ['tick 0@7', 'next@8'], ['tick 2@7']]);
  });

  it('that only a later tick calls still goes out on that bar', () => {
    const { bar, alerts, texts } = openRun();
    const site = new AlertSite(alerts);
    bar.isClosing = false;
    bar.index = 3;
    site.next('late');
    bar.isClosing = true;
    site.next('closing');
    expect(texts()).toEqual(['late@3']);
  });

  it('takes na for a message, and no frequency it does not know', () => {
    const { alerts, texts } = openRun();
    new AlertSite(alerts).next(null);
    new AlertSite(alerts).next('', 'all');
    expect(texts()).toEqual(['NaN@0', '@0']);
    expect(errorOf(() => new AlertSite(alerts).next('x', 'hourly'))).toContain('Use alert.freq_all');
  });

  it('keeps the newest, says how many are gone, and what came since', () => {
    const { bar, alerts } = openRun();
    const site = new AlertSite(alerts);
    for (bar.index = 0; bar.index < MAX_MESSAGES; bar.index += 1) site.next('x');
    expect([alerts.list().length, alerts.dropped]).toEqual([MAX_MESSAGES, 0]);
    const seen = alerts.total;
    site.next('last');
    expect([alerts.list()[0]?.barIndex, alerts.dropped, alerts.total]).toEqual([1, 1, MAX_MESSAGES + 1]);
    expect(alerts.list(seen).map(({ message }) => message)).toEqual(['last']);
  });
});

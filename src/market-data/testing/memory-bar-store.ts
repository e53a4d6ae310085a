// A bar store in memory: the plainest thing that keeps the promises of the port.

import { type BarStore, type Stretch, slotStart } from '../bar-store.ts';
import type { Bar } from '../price-source.ts';

export function createMemoryBarStore(): BarStore {
  const slots = new Map<string, Bar | null>();
  const starts = ({ fromMs, toMs }: Stretch, timeframeMs: number): number[] =>
    Array.from({ length: Math.round((toMs - fromMs) / timeframeMs) }, (_, index) => fromMs + index * timeframeMs);

  return {
    async read(market, timeframeMs, stretch) {
      const bars: Bar[] = [];
      const missing: Stretch[] = [];
      for (const fromMs of starts(stretch, timeframeMs)) {
        const bar = slots.get(`${market} ${timeframeMs} ${fromMs}`);
        if (bar === undefined) {
          const last = missing.at(-1)?.toMs === fromMs ? missing.pop() : undefined;
          missing.push({ fromMs: last?.fromMs ?? fromMs, toMs: fromMs + timeframeMs });
        } else if (bar !== null) bars.push(bar);
      }
      return { bars, missing };
    },
    async write(market, timeframeMs, stretch, bars) {
      const known = new Map(bars.map((bar) => [slotStart(bar.time, timeframeMs), bar]));
      for (const fromMs of starts(stretch, timeframeMs))
        slots.set(`${market} ${timeframeMs} ${fromMs}`, known.get(fromMs) ?? null);
    },
    async close() {},
  };
}

// The keys of the chart: a digit chooses a timeframe, a letter asks for a market.

import { useEffect } from 'preact/hooks';
import { TIMEFRAMES } from './timeframes.ts';

interface ChartKeys {
  readonly onTimeframe: (name: string) => void;
  readonly onMarket: () => void;
}

/** Keys that belong to whatever is being written, or to the browser. */
const isElsewhere = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey || metaKey || altKey || (target as HTMLElement | null)?.closest('input, textarea, select, dialog') != null;

export function useChartKeys({ onTimeframe, onMarket }: ChartKeys): void {
  useEffect(() => {
    const follow = (event: KeyboardEvent): void => {
      if (isElsewhere(event)) return;
      const timeframe = /^[1-9]$/.test(event.key) ? TIMEFRAMES[Number(event.key) - 1] : undefined;
      if (timeframe !== undefined) onTimeframe(timeframe.name);
      else if (/^[a-z]$/i.test(event.key)) {
        event.preventDefault();
        onMarket();
      }
    };
    addEventListener('keydown', follow);
    return () => removeEventListener('keydown', follow);
  });
}

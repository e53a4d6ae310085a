// The keys of the chart: a digit chooses a timeframe, a letter asks for a market, and the panel of the script opens and shuts.

import { useLayoutEffect } from 'preact/hooks';
import { isTyping } from '../../ui/typing.ts';
import { TIMEFRAMES } from './timeframes.ts';

interface ChartKeys {
  readonly onTimeframe: (name: string) => void;
  readonly onMarket: () => void;
  readonly onPanel: () => void;
}

/** Keys that belong to whatever is being written or asked, to every page, or to the browser. */
const isElsewhere = (event: KeyboardEvent): boolean =>
  event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event);

/** Also while the script is being written. */
const isForPanel = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'b' && (ctrlKey || metaKey) && !altKey && !shiftKey;

export function useChartKeys({ onTimeframe, onMarket, onPanel }: ChartKeys): void {
  useLayoutEffect(() => {
    const follow = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]') !== null) return;
      if (isForPanel(event)) {
        event.preventDefault();
        onPanel();
      }
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

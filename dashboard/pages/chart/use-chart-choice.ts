// What is on the chart, as the page changes it: remembered by this browser, and never with text lost unasked.

import { useLayoutEffect, useState } from 'preact/hooks';
import { newKey } from '../../server/new-key.ts';
import type { Place } from '../../ui/places.ts';
import { type ChartChoice, type ChosenScript, type NewScript, rememberChoice, storedChoice } from './chart-choice.ts';
import { forgetUnsaved, hasOtherText, lostBy, type ScriptChange, withChange, withUnsaved } from './chart-scripts.ts';
import { useLinkedMarket } from './linked-market.ts';

/** A change that would lose what was written of scripts and stands nowhere else. */
export interface Loss {
  readonly scripts: readonly ChosenScript[];
  readonly accept: () => void;
  readonly cancel: () => void;
}

export interface ChosenChart {
  readonly choice: ChartChoice;
  /** Counts the times that texts came from elsewhere, such as a layout: whatever is open of them begins anew. */
  readonly turn: number;
  readonly loss: Loss | undefined;
  /** Asks first where scripts would go with what was written of them. */
  change(part: Partial<ChartChoice>): void;
  edit(id: string, change: ScriptChange): void;
  /** Returns the id it has on the chart. */
  add(script: NewScript): string;
  remove(id: string): void;
  /** These scripts instead of those there are. */
  put(scripts: readonly NewScript[]): void;
}

/** A link may name a market: #/chart/ETHUSDT/4h. */
const namedIn = ({ rest: [symbol, timeframe] }: Place): Partial<ChartChoice> => ({
  ...(symbol !== undefined && { symbol }),
  ...(timeframe !== undefined && { timeframe }),
});

function firstChoice(place: Place): ChartChoice {
  const stored = storedChoice();
  return { ...stored, scripts: withUnsaved(stored.scripts), ...namedIn(place) };
}

const onChart = (script: NewScript): ChosenScript => ({ ...script, id: newKey() });

export function useChartChoice(place: Place): ChosenChart {
  const [choice, setChoice] = useState(() => firstChoice(place));
  const [turn, setTurn] = useState(0);
  const [loss, setLoss] = useState<Loss>();
  const apply = (part: Partial<ChartChoice>): void => setChoice((before) => ({ ...before, ...part }));
  const change = (part: Partial<ChartChoice>): void => {
    const { scripts = choice.scripts } = part;
    const lost = lostBy(choice.scripts, scripts);
    const accept = (): void => {
      forgetUnsaved(lost);
      apply(part);
      if (hasOtherText(choice.scripts, scripts)) setTurn((before) => before + 1);
      setLoss(undefined);
    };
    if (lost.length === 0) accept();
    else setLoss({ scripts: lost, accept, cancel: () => setLoss(undefined) });
  };
  useLayoutEffect(() => void rememberChoice(choice), [choice]);
  useLinkedMarket(place, apply);
  return {
    ...{ choice, turn, loss, change },
    edit: (id, part) => setChoice((before) => ({ ...before, scripts: withChange(before.scripts, id, part) })),
    add: (script) => {
      const added = onChart(script);
      setChoice((before) => ({ ...before, scripts: [...before.scripts, added] }));
      return added.id;
    },
    remove: (id) => change({ scripts: choice.scripts.filter((script) => script.id !== id) }),
    put: (scripts) => change({ scripts: scripts.map(onChart) }),
  };
}

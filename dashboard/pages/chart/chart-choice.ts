// What is on the chart, and layouts of it under names, remembered by this browser.

import type { InputValues } from '../../editor/input-fields.ts';

export interface ChosenScript {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  /** By title, only those that are not the script's own. */
  readonly inputs?: InputValues;
  /** Its id in the library; a script without one is on this chart alone. */
  readonly storedId?: string | undefined;
}

export type NewScript = Omit<ChosenScript, 'id'>;

export interface ChartChoice {
  readonly symbol: string;
  readonly timeframe: string;
  readonly scripts: readonly ChosenScript[];
  /** How much of the height each pane takes, by the id of its script. */
  readonly stretches: Readonly<Record<string, number>>;
}

export interface Layout extends ChartChoice {
  readonly name: string;
}

const CHOICE_KEY = 'signalbox.chart';
const LAYOUTS_KEY = 'signalbox.chart.layouts';

export const FIRST_CHOICE: ChartChoice = { symbol: 'BTCUSDT', timeframe: '1h', scripts: [], stretches: {} };

export type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** What is unreadable counts as nothing: a page must not stay away because of what it once remembered. */
export function read(store: Store, key: string): unknown {
  try {
    return JSON.parse(store.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

export function storedChoice(store: Store = localStorage): ChartChoice {
  const stored = read(store, CHOICE_KEY);
  return isChoice(stored) ? stored : FIRST_CHOICE;
}

/** False where the browser has no room for it. */
export const rememberChoice = (choice: ChartChoice, store: Store = localStorage): boolean =>
  written(store, CHOICE_KEY, choice);

export function storedLayouts(store: Store = localStorage): readonly Layout[] {
  const stored = read(store, LAYOUTS_KEY);
  return Array.isArray(stored) ? stored.filter((layout): layout is Layout => isChoice(layout) && 'name' in layout) : [];
}

export const rememberLayouts = (layouts: readonly Layout[], store: Store = localStorage): boolean =>
  written(store, LAYOUTS_KEY, layouts);

export function written(store: Store, key: string, value: unknown): boolean {
  try {
    store.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function isChoice(value: unknown): value is ChartChoice {
  if (typeof value !== 'object' || value === null) return false;
  const { symbol, timeframe, scripts, stretches } = value as Partial<ChartChoice>;
  return (
    typeof symbol === 'string' &&
    typeof timeframe === 'string' &&
    typeof stretches === 'object' &&
    Array.isArray(scripts) &&
    scripts.every((script) => isScript(script) && 'id' in script && typeof script.id === 'string')
  );
}

export function isScript(value: unknown): value is NewScript {
  if (typeof value !== 'object' || value === null) return false;
  const { name, source, inputs = {}, storedId = '' } = value as Partial<NewScript>;
  const isNamed = typeof name === 'string' && typeof source === 'string' && typeof storedId === 'string';
  return isNamed && typeof inputs === 'object' && inputs !== null;
}

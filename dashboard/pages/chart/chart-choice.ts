// What is on the chart, and layouts of it under names, remembered by this browser.

export interface ChosenScript {
  readonly id: string;
  readonly name: string;
  readonly source: string;
}

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

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** What is unreadable counts as nothing: a page must not stay away because of what it once remembered. */
function read(store: Store, key: string): unknown {
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

/** One of the same name is replaced. */
export function withLayout(layouts: readonly Layout[], name: string, choice: ChartChoice): readonly Layout[] {
  return [...layouts.filter((layout) => layout.name !== name), { ...choice, name }].toSorted((a, b) =>
    a.name.localeCompare(b.name),
  );
}

export const rememberLayouts = (layouts: readonly Layout[], store: Store = localStorage): boolean =>
  written(store, LAYOUTS_KEY, layouts);

function written(store: Store, key: string, value: unknown): boolean {
  try {
    store.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function isChoice(value: unknown): value is ChartChoice {
  if (typeof value !== 'object' || value === null) return false;
  const { symbol, timeframe, scripts, stretches } = value as Partial<ChartChoice>;
  return (
    typeof symbol === 'string' &&
    typeof timeframe === 'string' &&
    typeof stretches === 'object' &&
    Array.isArray(scripts) &&
    scripts.every(
      (script) =>
        typeof script?.id === 'string' && typeof script.name === 'string' && typeof script.source === 'string',
    )
  );
}

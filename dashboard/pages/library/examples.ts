// Examples for whoever has no script yet, loaded when one is opened.

export interface Example {
  readonly name: string;
  readonly words: string;
  readonly load: () => Promise<{ readonly default: string }>;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: 'EMA cross strategy',
    words: 'A strategy: buys where a fast average crosses a slow one, with commission and a share of the equity.',
    load: () => import('../../../examples/pine/ema-cross-strategy.pine?raw'),
  },
  {
    name: 'Momentum',
    words: 'An indicator: RSI, MACD and Bollinger bands in one pane, with a warning where they agree.',
    load: () => import('../../../examples/pine/momentum.pine?raw'),
  },
  {
    name: 'Levels',
    words: 'Drawings: pivots as levels until the price breaks them, the supertrend and a small table.',
    load: () => import('../../../examples/pine/levels.pine?raw'),
  },
];

// Scripts to begin with: the examples of this release, loaded when one is chosen.

const files = import.meta.glob<string>('../../../examples/pine/*.pine', { query: '?raw', import: 'default' });

export interface Example {
  readonly name: string;
  readonly words: string;
  readonly source: () => Promise<string>;
}

const example = (file: string, name: string, words: string): Example => ({
  ...{ name, words },
  source: async () => (await files[`../../../examples/pine/${file}.pine`]?.()) ?? '',
});

export const EXAMPLES: readonly Example[] = [
  example('ema-cross', 'EMA cross', 'Two averages, and a mark where they cross'),
  example('momentum', 'Momentum', 'RSI, MACD and Bollinger bands on a pane of their own'),
  example('levels', 'Levels', 'Pivots until the price breaks them, the supertrend, and a small table'),
  example('distribution', 'Distribution', 'How the last closes are spread'),
  example('ema-cross-strategy', 'EMA cross strategy', 'The same averages traded, with their profit'),
];

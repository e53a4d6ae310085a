// The keys of the chart in words, for the list of all keys.

export const CHART_KEYS: readonly (readonly [keys: string, words: string])[] = [
  ['1 … 8', 'Chart: a timeframe, from a minute to a week'],
  ['a letter but g', 'Chart: another market'],
  ['Ctrl B', 'Chart: the script panel, open or shut'],
  ['Ctrl S', 'Code: save'],
  ['Ctrl .', 'Code: mend what is marked'],
  ['Esc Tab', 'Code: leave the editor'],
];

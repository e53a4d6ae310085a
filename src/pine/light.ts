// What of the language is useful without its compiler: bars in columns, timeframes, places in a text. Whoever needs no
// more imports it from here, since index.ts brings the whole engine, which would be a quarter of the files of a start.

export { type Bar, type BarColumns, barColumns, emptyColumns } from './run/bars.ts';
export { editDistance } from './syntax/did-you-mean.ts';
export { LineTable } from './syntax/span.ts';
export { fromSeconds as timeframeOfSeconds } from './values/time/timeframe.ts';

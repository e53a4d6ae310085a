// What of the language is useful without its compiler: bars in columns, timeframes, places in a text, names. Whoever needs no
// more imports it from here, since index.ts brings the whole engine, which would be a quarter of the files of a start.

export { NOT_AVAILABLE as CANNOT_RUN_YET } from './emit/refuse.ts';
export {
  type AnswerEquity,
  type AnswerTrade,
  pointOf,
  type StrategyAnswer,
  strategyAnswer,
  tradeOf,
} from './report/answer.ts';
export { type CombinedReport, combineReports } from './report/combined-report.ts';
export { csvName, csvText } from './report/csv-text.ts';
export { FIGURE_NAMES, type FigureName, type Figures } from './report/figures.ts';
export type { StrategyReport } from './report/strategy-report.ts';
export { tradesCsv } from './report/trades-csv.ts';
export { type Bar, type BarColumns, barColumns, emptyColumns } from './run/bars.ts';
export type { InputSpace, SearchAxis } from './run/input-space.ts';
export { SYMBOL_FIELDS } from './run/market-symbol.ts';
export { MAX_SYMBOL_BARS } from './run/request/symbol-bars.ts';
export { NOT_CONVERTED, NOT_MAGNIFIED, NOT_PAID } from './run/run-warnings.ts';
export { timeframeFault } from './run/written-timeframe.ts';
export {
  type Candidate,
  candidateCount,
  candidateInputs,
  candidatesOf,
  MAX_SEED,
  type SearchMethod,
} from './search/candidates.ts';
export {
  byRank,
  COMBINATIONS,
  type Constraint,
  type FigureList,
  figureOf,
  GOALS,
  type Goal,
  isUsable,
  meets,
  type Objective,
  objectiveValue,
  type Trial,
  usualGoal,
} from './search/objective.ts';
export { type Overfitting, overfittingOf } from './search/overfitting.ts';
export { CONVERTED, REPAINTS } from './syntax/diagnostic.ts';
export { editDistance, nearestName } from './syntax/did-you-mean.ts';
export {
  importsOf,
  type LibraryName,
  libraryKey,
  MAX_IMPORTED_CHARS,
  MAX_IMPORTED_LIBRARIES,
} from './syntax/imports.ts';
export { LineTable } from './syntax/span.ts';
export { KEYWORDS } from './syntax/tokens.ts';
export { fromSeconds as timeframeOfSeconds } from './values/time/timeframe.ts';

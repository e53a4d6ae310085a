// The report of a backtest: what the books of a strategy come to, for programs and for people.

export { type AnswerMetrics, type AnswerTrade, type StrategyAnswer, strategyAnswer } from './answer.ts';
export type { EquityPoint } from './equity-points.ts';
export { FIGURE_NAMES, type FigureName, type Figures } from './figures.ts';
export type { PeriodReturn } from './period-returns.ts';
export { type StrategyReport, strategyFigures, strategyReport } from './strategy-report.ts';
export type { ReportTrade } from './trade-list.ts';
export type { TradeStatistics } from './trade-statistics.ts';
export { tradesCsv } from './trades-csv.ts';

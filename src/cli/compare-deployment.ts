// `signalbox deployments compare`: asks for the comparison, shows it, and writes it into the files that are named.

import type { LiveComparison } from '../library/live-comparison/compared-fill.ts';
import { parseTimeframe } from '../market-data/timeframe.ts';
import type { Args, RouteCalls } from './command.ts';
import { comparisonCsv, comparisonText } from './comparison-text.ts';
import type { Connection } from './host.ts';
import { fetchMarketBars } from './market-bars.ts';
import type { Paint } from './paint.ts';
import { refusalText, succeeded } from './refusal-text.ts';
import { fieldsOf } from './table.ts';
import { writeText } from './write-report.ts';

/** A hundred pages of the route that gives them; of a longer time the newest are drawn. */
const MAX_DRAWN_BARS = 50_000;
/** Bars before the deployment, to see where it came from. */
const BARS_BEFORE = 20;

export const compareDeployment = (id: string, { fills, report }: Args['flags']): RouteCalls => ({
  async callAll(connection, io, isJson) {
    const answer = await connection.call('GET', `/admin/deployments/${encodeURIComponent(id)}/compare`);
    if (!succeeded(answer)) {
      if (isJson) io.out(JSON.stringify(answer.body ?? null, null, 2));
      else io.err(refusalText(answer, io.errPaint));
      return 1;
    }
    const comparison = fieldsOf(answer.body).result as LiveComparison;
    io.out(isJson ? JSON.stringify(answer.body, null, 2) : comparisonText(comparison, io.paint));
    if (fills !== undefined) writeText(fills, comparisonCsv(comparison), io);
    if (report === undefined) return 0;
    const { comparisonPage } = await import('./report-page/comparison-page.ts');
    writeText(report, comparisonPage(comparison, await barsOf(comparison, connection, io.errPaint)), io);
    return 0;
  },
});

async function barsOf({ symbol, interval, fromMs, toMs }: LiveComparison, connection: Connection, errPaint: Paint) {
  const timeframeMs = parseTimeframe(interval);
  const count = Math.min(MAX_DRAWN_BARS, Math.floor((toMs - fromMs) / timeframeMs) + 1 + BARS_BEFORE);
  // The connection is closed by whoever opened it.
  const reach = async (): Promise<Connection> => ({ ...connection, close: async () => {} });
  const { columns } = await fetchMarketBars({ symbol, timeframeMs, count, upToMs: toMs }, { reach, errPaint });
  return columns;
}

// The commands that show money: what accounts are worth, and what trading came to.

import { GAP_PART_WORDS, GAP_PARTS } from '../../trading/twin/twin-gap.ts';
import { archivedWords } from '../archived-words.ts';
import { type Args, type Command, noWords, queryOf, type RouteCall, UsageFault } from '../command.ts';
import { accountColumn, cell, column, type Fields, fieldsOf, modeColumn, printable, rowsOf, table } from '../table.ts';
import { paintMoney } from './reports.ts';

const ACCOUNT_COLUMNS = [
  accountColumn,
  modeColumn,
  column('equity', 'equity', { right: true }),
  column('balance', 'balance', { right: true }),
  column('free', 'freeMargin', { right: true }),
  column('used', 'usedMargin', { right: true }),
  column('unrealised', 'unrealizedPnl', { right: true, tint: paintMoney }),
  column('today', 'realizedToday', { right: true, tint: paintMoney }),
  column('fees', 'feesToday', { right: true }),
  column('in all', 'realizedTotal', { right: true, tint: paintMoney }),
  column('fees', 'feesTotal', { right: true }),
  column('funding', 'fundingTotal', { right: true, tint: paintMoney }),
  column('leverage', 'leverageInUse', { right: true }),
  column('prices', 'prices'),
];

export const account: Command = {
  name: 'account',
  summary: 'what each account is worth and has earned',
  usage: ['[--exchange …] [--account …]'],
  flags: { exchange: 'only this exchange', account: 'only accounts with this name' },
  plan({ words, flags }) {
    noWords(words);
    return {
      method: 'GET',
      path: `/account${queryOf(flags, ['exchange', 'account'])}`,
      show: ({ result }, paint) => table(ACCOUNT_COLUMNS, rowsOf(result), paint),
    };
  },
};

/** `2d 3h`, `1h 5m`, `40s`: the two largest units. */
function duration(seconds: unknown): string {
  if (typeof seconds !== 'number') return '-';
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}

const percent = (share: unknown): string =>
  typeof share === 'number' ? `${cell(Math.round(share * 1000) / 10)} %` : '-';

const performanceColumns = (by: string) => [
  column(by, 'group'),
  modeColumn,
  column('trades', 'trades', { right: true }),
  { title: 'won', of: ({ winRate }: Fields) => percent(winRate), right: true },
  column('factor', 'profitFactor', { right: true }),
  column('P&L', 'pnl', { right: true, tint: paintMoney }),
  column('fees', 'fees', { right: true }),
  column('funding', 'funding', { right: true, tint: paintMoney }),
  column('net', 'net', { right: true, tint: paintMoney }),
  column('per trade', 'expectancy', { right: true, tint: paintMoney }),
  column('drawdown', 'maxDrawdown', { right: true }),
  { title: 'held', of: ({ averageHoldingSeconds }: Fields) => duration(averageHoldingSeconds), right: true },
];

export const performance: Command = {
  name: 'performance',
  summary: 'what trading came to, in total and in groups',
  usage: [
    '[--by day] [--from …] [--to …] [--exchange …] [--account …] [--mode live]',
    '--twin [--strategy …] [--from …] [--to …] [--exchange …] [--account …]',
  ],
  flags: {
    by: 'what the groups are: day, symbol, strategy, key, account or tag',
    from: 'fills at or after it, such as 2026-11-01',
    to: 'fills before it',
    exchange: 'only this exchange',
    account: 'only accounts with this name',
    mode: 'only accounts of this mode: live, testnet or paper',
    strategy: 'with --twin: only the shares of this strategy',
  },
  switches: { twin: 'real accounts beside their paper twins, and what made the gap (PAPER_TWIN)' },
  plan({ words, flags, switches }) {
    noWords(words);
    if (switches.has('twin')) return besideTwins(flags);
    if (flags.strategy !== undefined)
      throw new UsageFault(
        '--strategy belongs to "performance --twin"; "performance --by strategy" shows all of them.',
      );
    return {
      method: 'GET',
      path: `/performance${queryOf(flags, ['by', 'from', 'to', 'exchange', 'account', 'mode'])}`,
      show({ result }, paint) {
        const { by, totals, groups, archivedBefore } = fieldsOf(result);
        const rows = rowsOf(groups);
        if (rows.length === 0) return ['Nothing was traded in that time.', ...archivedWords(archivedBefore)].join('\n');
        // Real money and play money have a line each.
        const sums = rowsOf(totals).map((total) => ({ ...total, group: 'in all' }));
        const shown = table(performanceColumns(cell(by)), [...rows, ...sums], paint);
        return [shown, ...archivedWords(archivedBefore)].join('\n');
      },
    };
  },
};

const NO_TWIN =
  'No account has a paper twin. PAPER_TWIN=yes gives one to every testnet and live account at the next start.';

function besideTwins(flags: Args['flags']): RouteCall {
  if (flags.mode !== undefined) throw new UsageFault('--mode does not go with --twin: each row names its mode.');
  if (flags.by !== undefined) throw new UsageFault('--by does not go with --twin: each account has one row.');
  return {
    method: 'GET',
    path: `/performance/twin${queryOf(flags, ['strategy', 'from', 'to', 'exchange', 'account'])}`,
    show({ result }, paint) {
      const rows = rowsOf(result).map((row) => {
        const { parts, ...sums } = fieldsOf(row.result);
        return { ...row, ...sums, ...fieldsOf(parts) };
      });
      if (rows.length === 0) return NO_TWIN;
      const warnings = rows.flatMap((row) => (Array.isArray(row.warnings) ? row.warnings : []));
      return [table(twinColumns(rows), rows, paint), ...warnings.map((each) => printable(String(each)))].join('\n');
    },
  };
}

/** Parts that are nothing everywhere have no column. */
function twinColumns(rows: readonly Fields[]) {
  const parts = GAP_PARTS.filter((part) => rows.some((row) => typeof row[part] === 'number' && row[part] !== 0));
  const money = (title: string, field: string) => column(title, field, { right: true, tint: paintMoney });
  return [
    ...[accountColumn, modeColumn, column('trades', 'trades', { right: true })],
    ...[money('real', 'live'), money('paper', 'twin'), money('gap', 'gap')],
    ...parts.map((part) => money(GAP_PART_WORDS[part], part)),
  ];
}

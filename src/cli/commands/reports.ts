// The commands that only look: trades, one trade's story, signals, positions, and the audit log.

import { archivedWords } from '../archived-words.ts';
import {
  type Command,
  commaList,
  noWords,
  onlyWord,
  queryOf,
  type RouteCall,
  UsageFault,
  wholeNumber,
} from '../command.ts';
import { type Paint, paintStatus } from '../paint.ts';
import { guardsInWords } from '../protection-words.ts';
import {
  accountColumn,
  cell,
  column,
  type Fields,
  fieldsOf,
  modeColumn,
  pairs,
  rowsOf,
  shownMode,
  table,
  tableOfAll,
  time,
  timeColumn,
  words,
  wordsColumn,
} from '../table.ts';

/** `0.01`, or `500 quote` where it is not in base currency. */
function sizeInWords({ quantity, quantityType }: Fields): string {
  return quantityType === undefined || quantityType === 'base'
    ? cell(quantity)
    : `${cell(quantity)} ${cell(quantityType)}`;
}

const TRADE_COLUMNS = [
  timeColumn('received', 'receivedAt'),
  accountColumn,
  column('action', 'action'),
  { title: 'market', of: (row: Fields) => cell(row.market ?? row.symbol) },
  { title: 'quantity', of: sizeInWords, right: true },
  {
    title: 'price',
    of: (row: Fields) => (row.price === null || row.price === undefined ? 'market' : cell(row.price)),
    right: true,
  },
  column('status', 'status', { tint: paintStatus }),
  column('filled', 'executedQty', { right: true }),
  column('average', 'averagePrice', { right: true }),
  column('realised', 'realizedPnl', { right: true }),
  modeColumn,
  column('source', 'source'),
  column('strategy', 'strategy'),
  column('request id', 'requestId'),
  wordsColumn('error', 'error'),
];

const TRADE_FILTERS = [
  ...['limit', 'before', 'exchange', 'account', 'symbol', 'strategy', 'alertId', 'status'],
  ...['key', 'action', 'source', 'tag', 'from', 'to', 'search'],
];

/** The API's name of it. */
const withAlertId = ({ 'alert-id': alertId, ...flags }: Readonly<Record<string, string>>): Record<string, string> =>
  alertId === undefined ? flags : { ...flags, alertId };
const withKey = ({ 'key-label': key, ...flags }: Readonly<Record<string, string>>): Record<string, string> =>
  key === undefined ? flags : { ...flags, key };

export const trades: Command = {
  name: 'trades',
  summary: 'the latest trades, or the story of one',
  usage: [
    '[--limit 20] [--exchange …] [--account …] [--symbol …] [--strategy …] [--alert-id …] [--status …] [--before …] [--key-label …] [--action …] [--source …] [--tag …] [--from …] [--to …] [--search …]',
    '<requestId>',
    'note <requestId> <text>',
    'tag <requestId> <tag,tag>',
  ],
  flags: {
    limit: 'how many, newest first',
    before: 'older than this one, to page on',
    exchange: 'only this exchange',
    account: 'only accounts with this name',
    strategy: 'only signals of this strategy',
    'alert-id': 'only this alert',
    symbol: 'only this market',
    status: 'only this status, like Filled',
    'key-label': 'only signals under the key with this label',
    action: 'only this action, like LONG',
    source: 'only this source, like webhook',
    tag: 'only trades with this tag',
    from: 'received at or after it, like 2026-03-01',
    to: 'received before it',
    search: 'only where these letters occur: symbol, comment, request id, error, note',
  },
  plan({ words, flags }) {
    if (words[0] === 'note' || words[0] === 'tag') return annotate(words[0], words.slice(1));
    if (words.length > 0) {
      const requestId = onlyWord(words, 'the request id');
      return { method: 'GET', path: `/trades/${encodeURIComponent(requestId)}`, show: showStory };
    }
    if (flags.limit !== undefined) wholeNumber(flags.limit, 'limit');
    return {
      method: 'GET',
      path: `/trades${queryOf(withKey(withAlertId(flags)), TRADE_FILTERS)}`,
      show({ result, archivedBefore }, paint) {
        const rows = rowsOf(result);
        const shown = rows.length > 0 ? table(TRADE_COLUMNS, rows, paint) : 'There are no trades yet.';
        return [shown, ...archivedWords(archivedBefore)].join('\n');
      },
    };
  },
};

/** An empty text takes the note or the tags away. */
function annotate(what: 'note' | 'tag', [requestId, text, ...more]: readonly string[]): RouteCall {
  if (requestId === undefined || text === undefined)
    throw new UsageFault(`trades ${what} needs the request id and ${what === 'note' ? 'the text' : 'the tags'}.`);
  noWords(more);
  return {
    method: 'PATCH',
    path: `/trades/${encodeURIComponent(requestId)}`,
    body: what === 'note' ? { note: text } : { tags: commaList(text) },
    show({ result }) {
      const { note, tags } = fieldsOf(result);
      const named = Array.isArray(tags) ? tags.map(cell).join(', ') : '';
      return `Note: ${note === null ? 'none' : words(note)}\nTags: ${named || 'none'}`;
    },
  };
}

const LISTS = ['orders', 'fills', 'events'];

function showStory({ result }: Fields, paint: Paint): string {
  const trade = fieldsOf(result);
  const facts = Object.entries(trade)
    .filter(([name]) => !LISTS.includes(name))
    .map(([name, value]) => [name, factInWords(name, value)] as const);
  const parts = [pairs(facts, paint)];
  for (const name of LISTS) {
    const rows = rowsOf(trade[name]);
    if (rows.length > 0) parts.push(`${paint('bold', name)}\n${tableOfAll(rows, paint)}`);
  }
  return parts.join('\n\n');
}

function factInWords(name: string, value: unknown): string {
  if (name === 'mode') return shownMode(value);
  return name.endsWith('At') ? time(value) : words(value);
}

const SIGNAL_COLUMNS = [
  timeColumn('time', 'timestamp'),
  column('source', 'source'),
  column('type', 'signal_type'),
  column('symbol', 'symbol'),
  column('decision', 'decision', { tint: paintDecision }),
  column('signal id', 'signal_id'),
];

/** Alerts have names only where somebody gives them. */
const signalColumns = (rows: readonly Fields[]) =>
  rows.some((row) => row.alert_id !== undefined) ? [...SIGNAL_COLUMNS, column('alert id', 'alert_id')] : SIGNAL_COLUMNS;

function paintDecision(paint: Paint, text: string): string {
  const decision = text.trim();
  if (decision === 'stored') return text;
  return paint(decision === 'accepted' ? 'green' : 'red', text);
}

export const signals: Command = {
  name: 'signals',
  summary: 'every signal there was, traded or not',
  usage: ['[--limit 10] [--symbol …] [--source …] [--alert-id …] [--before …]'],
  flags: {
    limit: 'how many, newest first',
    before: 'go on after this signal id',
    symbol: 'only this market',
    source: 'only this source, like webhook',
    'alert-id': 'only this alert, duplicates among them',
  },
  plan({ words, flags }) {
    noWords(words);
    if (flags.limit !== undefined) wholeNumber(flags.limit, 'limit');
    const filters = withAlertId(flags);
    const named = ['before', 'symbol', 'source', 'alertId'];
    const nothing = queryOf(filters, named) === '' ? 'There are no signals yet.' : 'No signal fits.';
    return {
      method: 'GET',
      path: `/signals${queryOf(filters, ['limit', ...named])}`,
      show({ result }, paint) {
        const rows = rowsOf(result);
        return rows.length > 0 ? table(signalColumns(rows), rows, paint) : nothing;
      },
    };
  },
};

const POSITION_COLUMNS = [
  accountColumn,
  column('market', 'market'),
  column('side', 'side', { tint: paintStatus }),
  column('quantity', 'quantity', { right: true }),
  column('entry', 'entryPrice', { right: true }),
  column('mark', 'markPrice', { right: true }),
  column('unrealised', 'unrealizedPnl', { right: true, tint: paintMoney }),
  column('realised', 'realizedPnl', { right: true, tint: paintMoney }),
  column('leverage', 'leverage', { right: true }),
  column('margin', 'margin', { right: true }),
  column('liquidation', 'liquidationPrice', { right: true }),
  { title: 'stops', of: ({ protections }: Fields) => stopsInWords(protections) },
  modeColumn,
  column('prices', 'prices'),
  { title: 'strategies', of: ({ strategies }: Fields) => rowsOf(strategies).map(shareInWords).join(', ') },
];

/** `trend LONG 0.02`; a dash stands for signals without a strategy. */
const shareInWords = ({ strategy, side, quantity }: Fields): string =>
  `${strategy === null ? '-' : cell(strategy)} ${cell(side)} ${cell(quantity)}`;

/** `loss 60000, profit 90000; trend: loss 61000 (2%)`; a dash where nothing guards the position. */
function stopsInWords(protections: unknown): string {
  const words = rowsOf(protections).map((protection) => {
    const { strategy, status } = protection;
    const whose = typeof strategy === 'string' ? `${cell(strategy)}: ` : '';
    return `${whose}${guardsInWords(protection)}${status === 'active' ? '' : ` (${cell(status)})`}`;
  });
  return words.length === 0 ? '-' : words.join('; ');
}

export function paintMoney(paint: Paint, text: string): string {
  const amount = Number(text);
  return amount > 0 ? paint('green', text) : amount < 0 ? paint('red', text) : text;
}

export const positions: Command = {
  name: 'positions',
  summary: 'open positions with their profit and loss',
  usage: ['', '[--exchange …] [--account …] [--symbol …] [--strategy …]'],
  flags: {
    exchange: 'only positions at this exchange',
    account: 'only positions of accounts with this name',
    symbol: 'only positions in this market',
    strategy: 'only positions in which this strategy has a share',
  },
  plan({ words, flags }) {
    noWords(words);
    const query = queryOf(flags, ['exchange', 'account', 'symbol', 'strategy']);
    const nothing = query === '' ? 'There are no open positions.' : 'No open position fits.';
    return {
      method: 'GET',
      path: `/positions${query}`,
      show({ result }, paint) {
        const rows = rowsOf(result);
        return rows.length > 0 ? table(POSITION_COLUMNS, rows, paint) : nothing;
      },
    };
  },
};

const AUDIT_COLUMNS = [
  timeColumn('at', 'at'),
  column('actor', 'actor'),
  column('setting', 'setting'),
  column('before', 'before'),
  column('after', 'after'),
];

export const audit: Command = {
  name: 'audit',
  summary: 'who changed which setting, and when',
  usage: ['[--limit 50]'],
  flags: { limit: 'how many, newest first' },
  plan({ words, flags }) {
    noWords(words);
    if (flags.limit !== undefined) wholeNumber(flags.limit, 'limit');
    return {
      method: 'GET',
      path: `/admin/audit${queryOf(flags, ['limit'])}`,
      show({ result }, paint) {
        const rows = rowsOf(result);
        return rows.length > 0 ? table(AUDIT_COLUMNS, rows, paint) : 'No setting has been changed yet.';
      },
    };
  },
};

// `signalbox sessions`: the browsers that are logged in to the dashboard, and ending one of them or all.

import { type Command, noWords, oneOf, onlyWord, type RouteCall, UsageFault } from '../command.ts';
import { cell, column, fieldsOf, rowsOf, table, timeColumn } from '../table.ts';

const PATH = '/sessions';
const COLUMNS = [
  column('session', 'sessionId'),
  timeColumn('logged in', 'createdAt'),
  timeColumn('last used', 'lastUsedAt'),
  timeColumn('ends', 'endsAt'),
  column('address', 'address'),
  column('browser', 'userAgent'),
];

export const sessions: Command = {
  name: 'sessions',
  summary: 'who is logged in to the dashboard: list, revoke',
  usage: ['', 'revoke <sessionId>', 'revoke --all'],
  flags: {},
  switches: { all: 'end every session' },
  plan({ words: [verb, ...words], switches }) {
    const isAll = switches.has('all');
    if (verb !== undefined) oneOf(verb, ['revoke'], 'sessions');
    if (verb === undefined && isAll) throw new UsageFault('--all belongs to "sessions revoke".');
    if (verb === undefined) return list();
    if (!isAll) return revoke(onlyWord(words, 'the session id'));
    noWords(words);
    return revokeAll();
  },
};

const list = (): RouteCall => ({
  method: 'GET',
  path: PATH,
  show({ result }, paint) {
    const rows = rowsOf(result);
    return rows.length > 0 ? table(COLUMNS, rows, paint) : 'Nobody is logged in.';
  },
});

const revoke = (sessionId: string): RouteCall => ({
  method: 'DELETE',
  path: `${PATH}/${encodeURIComponent(sessionId)}`,
  show({ result }) {
    const { sessionId: id, address } = fieldsOf(result);
    return `Ended session ${cell(id)} (${cell(address)}). Its browser has to log in again.`;
  },
});

const revokeAll = (): RouteCall => ({
  method: 'DELETE',
  path: PATH,
  show({ result }) {
    const { length } = rowsOf(result);
    return length === 1 ? 'Ended 1 session.' : `Ended ${length} sessions.`;
  },
});

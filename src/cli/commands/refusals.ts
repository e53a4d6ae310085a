// `signalbox refusals`: why signals were refused, and sending one again.

import { type Command, noWords, onlyWord, queryOf, wholeNumber } from '../command.ts';
import { cell, column, type Fields, rowsOf, table, timeColumn, wordsColumn } from '../table.ts';
import { showOutcome } from './signal.ts';

const COLUMNS = [
  timeColumn('time', 'receivedAt'),
  column('door', 'door'),
  { title: 'key or address', of: (row: Fields) => cell(row.key ?? row.address) },
  column('code', 'code', { tint: (paint, text) => paint('red', text) }),
  column('id', 'id'),
  wordsColumn('why', 'error'),
];

export const refusals: Command = {
  name: 'refusals',
  summary: 'why signals were refused, and sending one again',
  usage: ['[--limit 10] [--code …] [--key-label …] [--door …] [--before …]', 'resend <id>'],
  flags: {
    limit: 'how many, newest first',
    before: 'go on after this id',
    code: 'only this code, like INVALID_PAYLOAD',
    'key-label': 'only signals under the key with this label',
    door: 'only this door: /webhook, /webhook/tradingview, /email-signal or smtp',
  },
  plan({ words: [word, ...words], flags }) {
    if (word === 'resend') {
      const id = onlyWord(words, 'the id of a refusal');
      return { method: 'POST', path: `/refusals/${encodeURIComponent(id)}/resend`, show: showOutcome };
    }
    noWords(word === undefined ? [] : [word, ...words]);
    if (flags.limit !== undefined) wholeNumber(flags.limit, 'limit');
    const { 'key-label': key, ...others } = flags;
    const asked = key === undefined ? others : { ...others, key };
    return {
      method: 'GET',
      path: `/refusals${queryOf(asked, ['limit', 'before', 'code', 'key', 'door'])}`,
      show({ result }, paint) {
        const rows = rowsOf(result);
        return rows.length > 0 ? table(COLUMNS, rows, paint) : 'No signal has been refused.';
      },
    };
  },
};

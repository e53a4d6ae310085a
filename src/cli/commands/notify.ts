// `signalbox notify`: the ways by which the owner is told, how each is doing, and a test by all of them.

import { type Command, noWords, oneOf } from '../command.ts';
import type { Paint } from '../paint.ts';
import { cell, column, type Fields, rowsOf, table, timeColumn, words, wordsColumn } from '../table.ts';

const COLUMNS = [
  column('channel', 'channel'),
  { title: 'told of', of: ({ notices }: Fields) => (Array.isArray(notices) ? notices.map(cell).join(', ') : '') },
  column('state', 'state'),
  column('waiting', 'waiting', { right: true }),
  timeColumn('last delivered', 'lastDeliveredAt'),
  timeColumn('last failure', 'lastFailureAt'),
  wordsColumn('why', 'lastFailure'),
];
const NONE =
  'No channel is set; set TELEGRAM_BOT_TOKEN, DISCORD_WEBHOOK_URL, NTFY_TOPIC, MAIL_HOST or NOTIFY_WEBHOOK_URL.';

export const notify: Command = {
  name: 'notify',
  summary: 'the ways by which you are told, or a test of all of them',
  usage: ['', 'test'],
  flags: {},
  plan({ words: [verb, ...rest] }) {
    noWords(rest);
    if (verb === undefined)
      return {
        method: 'GET',
        path: '/admin/notifiers',
        show({ result }, paint) {
          const rows = rowsOf(result);
          return rows.length > 0 ? table(COLUMNS, rows, paint) : NONE;
        },
      };
    oneOf(verb, ['test'], 'notify');
    return { method: 'POST', path: '/admin/notifiers/test', show: showTested, isDone };
  },
};

function showTested({ result }: Fields, paint: Paint): string {
  const lines = rowsOf(result).map(({ channel, delivered, error }) =>
    delivered === true
      ? `${cell(channel)}: ${paint('green', 'delivered')}`
      : `${cell(channel)}: ${paint('red', 'NOT delivered')}: ${words(String(error))}`,
  );
  return lines.length > 0 ? lines.join('\n') : NONE;
}

/** A script that tests its channels must see that one does not work. */
const isDone = ({ result }: Fields): boolean => rowsOf(result).every(({ delivered }) => delivered === true);

// `signalbox close` and `signalbox flatten`: the owner closes some positions, or all of them, whatever the kill switch says.

import { type Args, type Command, noWords, plainNumber, type RouteCall, UsageFault } from '../command.ts';
import { type Paint, paintStatus } from '../paint.ts';
import { cell, type Fields, fieldsOf, printable } from '../table.ts';
import { onRealAccount } from '../whose-money.ts';

export const close: Command = {
  name: 'close',
  summary: 'close positions, whole or a share of them',
  usage: ['<key>… [--share 0.5]'],
  flags: { share: 'how much of each, above 0 and at most 1; all of it if left out' },
  plan({ words, flags }) {
    if (words.length === 0)
      throw new UsageFault(
        'Name the positions, like binance:BTCUSDT:LONG ("signalbox positions" lists them), or write "signalbox flatten".',
      );
    return closing({ positions: words }, flags);
  },
};

export const flatten: Command = {
  name: 'flatten',
  summary: 'close every open position',
  usage: ['[--yes]'],
  flags: {},
  switches: { yes: 'do not ask first' },
  plan({ words, flags, switches }) {
    noWords(words);
    const call = closing({ all: true }, flags);
    return switches.has('yes') ? call : { ...call, question: 'Really close every open position at market?' };
  },
};

function closing(what: object, { share }: Args['flags']): RouteCall {
  const part = share === undefined ? {} : { share: shareOf(share) };
  return {
    method: 'POST',
    path: '/positions/close',
    body: { ...what, ...part },
    show: showClosed,
    isDone: ({ result }) => entriesOf(result).every(({ success }) => success === true),
  };
}

function shareOf(text: string): number {
  const share = plainNumber(text, 'share');
  if (share > 0 && share <= 1) return share;
  throw new UsageFault(
    `--share ${text} is no share; write 0.5 for half of the position, or leave it out for all of it.`,
  );
}

const entriesOf = (result: unknown): readonly Fields[] => (Array.isArray(result) ? result.map(fieldsOf) : []);

function showClosed({ result }: Fields, paint: Paint): string {
  const entries = entriesOf(result);
  if (entries.length === 0) return 'There are no open positions.';
  return entries.map((entry) => closedLine(entry, paint)).join('\n');
}

export const closedLine = (entry: Fields, paint: Paint): string =>
  `${cell(entry.key)}${onRealAccount(entry)} ${outcomeOf(entry, paint)}`;

function outcomeOf({ status, executedQty, price, queued, requestId, error }: Fields, paint: Paint): string {
  const why = typeof error === 'string' ? ` ${printable(error)}` : '';
  if (typeof status !== 'string') return `${paint('red', 'not closed:')}${why}`;
  const what = queued === true ? 'waits for its venue and goes on by itself' : `${cell(executedQty)} at ${cell(price)}`;
  const story = typeof requestId === 'string' ? `\n  its story: signalbox trades ${cell(requestId)}` : '';
  return `${paintStatus(paint, status)}: ${what}.${why}${story}`;
}

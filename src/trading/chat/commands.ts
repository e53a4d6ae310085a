// The commands of the owner's chat: a text comes in, a short answer goes out.

import { errorText } from '../../errors/error-text.ts';
import { withoutFolders } from '../../errors/storage-error.ts';
import { escapeHtml } from '../notifications/escape.ts';
import { type ChangeParts, createChanges, type Pressed } from './changes.ts';
import type { Asker, Reply } from './confirmations.ts';
import { createReports, MAX_COUNT, type ReportParts } from './reports.ts';

export interface ChatCommands {
  /** Undefined for what is no command of ours. Never rejects: what went wrong is an answer too. */
  command(text: string, asker: Asker): Promise<Reply | undefined>;
  /** A press on yes or no. */
  answer(token: string, from: Asker, yes: boolean): Promise<Pressed>;
}

const HELP = `<b>Commands</b>
/status: kill switch, modes, what is waiting
/account: what each account is worth, and today's result
/performance [day, symbol, strategy, key, account or tag]: what trading came to; /performance twin: beside the paper twin
/positions: what is open, and what it is worth
/orders [1–${MAX_COUNT}]: orders that are open
/trades [1–${MAX_COUNT}]: the last trades
/signals [1–${MAX_COUNT}]: the last signals, refused ones too
/refusals [1–${MAX_COUNT}]: the last refused signals, with the reason
/resend [ID]: send the last refused signal again, or that one
/symbols: which market is traded for a chart's own names
/stops: what guards open positions, and what waits for its fill
/channels: the ways by which you are told, and how each is doing
/buy BTCUSDT 0.01 [at 68000] [stop 66000] [target 72000], /sell …: an order of your own; it is shown first
/cancel ID, /cancel BTCUSDT, /cancel all: cancel one open order, those of a market, or all
/close binance:BTCUSDT:LONG [0.5]: close a position, or a share of it
/flatten: close every position
/move binance:BTCUSDT:LONG 61000: move a stop loss; 2% or 50ticks count from the fill
/kill on: refuse every signal
/kill on entries: refuse new positions, let closing through
/kill on flatten: close every position too; with keep, resting entries stay
/kill off: trade again
/kill on strategy:ema [entries, keep, flatten], /kill off strategy:ema: that of a key, strategy, account or symbol
/pause strategy:ema, /resume strategy:ema: stop its entries, or let it go on
A name with a word of the command in it stands in quotes: /kill on strategy:"sell all"
/limits: what is limited or paused; /limits strategy:ema largestOrder=1000 sets one
/mode direct, /mode async, /mode failover: when a signal is answered
/help: this list
A change asks for a yes first; it counts for one minute.`;

const COMMAND = /^\/([a-z]{1,32})(?:\s+(.*))?$/is;
/** Names of keys and strategies have capitals; every other word may be written in any case. */
const AS_WRITTEN: ReadonlySet<string> = new Set(['limits', 'pause', 'resume', 'kill', 'buy', 'sell']);
/** No command is longer; of one that is, the end would be cut off, and a stop may stand there. */
const MAX_COMMAND_UNITS = 256;
const TOO_LONG = `That is too long for a command: ${MAX_COMMAND_UNITS} characters are read. Nothing was changed.`;
/** Quotes, also those that phones make of them, tell a name such as strategy:"sell all" from the words beside it. */
const WORD = /([a-z]+:)["“„](.+)["“”](?=\s|$)|\S+/gis;
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(WORD)].map(([word, kind, name]) => (kind === undefined ? word : `${kind}${name}`));

export function createChatCommands(parts: ReportParts & ChangeParts): ChatCommands {
  const reports = createReports(parts);
  const changes = createChanges(parts);
  const known: Readonly<Record<string, (words: readonly string[], asker: Asker) => Reply | Promise<Reply>>> = {
    ...Object.fromEntries(
      Object.entries(reports).map(([name, report]) => [name, async (words) => ({ text: await report(words) })]),
    ),
    close: changes.close,
    flatten: changes.flatten,
    move: changes.move,
    buy: changes.buy,
    sell: changes.sell,
    kill: changes.kill,
    limits: changes.limits,
    pause: changes.pause,
    resume: changes.resume,
    mode: changes.mode,
    cancel: changes.cancel,
    resend: changes.resend,
    help: () => ({ text: HELP }),
    // What a chat sends when somebody opens the bot for the first time.
    start: () => ({ text: HELP }),
  };

  return {
    async command(text, asker) {
      const [, word = '', written = ''] = COMMAND.exec(text.slice(0, MAX_COMMAND_UNITS).trim()) ?? [];
      const name = word.toLowerCase();
      const rest = AS_WRITTEN.has(name) ? written : written.toLowerCase();
      const run = Object.hasOwn(known, name) ? known[name] : undefined;
      if (!run) return undefined;
      if (text.length > MAX_COMMAND_UNITS) return { text: TOO_LONG };
      try {
        return await run(wordsOf(rest), asker);
      } catch (error) {
        const reason = withoutFolders(errorText(error));
        return { text: `That did not work: ${escapeHtml(reason)}` };
      }
    },
    answer: changes.answer,
  };
}

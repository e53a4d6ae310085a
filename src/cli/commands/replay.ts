// `signalbox replay`: the signals of the past through the gates again, with other limits, sizes or stops, and the difference as a table.

import { decimal } from '../../trading/decimal.ts';
import { readLevel } from '../../trading/level.ts';
import type { ReplayChanges, SizeChange } from '../../trading/replay/changes.ts';
import { type Args, type LocalCommand, noWords, oneOf, plainNumber, UsageFault } from '../command.ts';
import type { ScriptHost } from '../host.ts';
import { isDifferent, replayJson, replayText } from '../replay-report.ts';
import { momentOf } from '../wanted-bars.ts';

const DONE = 0;
const DIFFERENT = 1;
const SIZES = ['base', 'quote', 'percent_equity', 'risk_percent'] as const;

export const replay: LocalCommand = {
  name: 'replay',
  summary: 'send the signals of the past through the gates again, with other limits, sizes or stops, and compare',
  usage: [
    '--from 2026-11-09 [--to 2026-11-16] [--all] [--check]',
    '--from … --set strategy:ema.entriesPerDay=3…',
    '--from … --size 0.5',
    '--from … --quantity 1 --quantity-type risk_percent',
    '--from … [--stop-loss 2%] [--take-profit 4%] [--trail 1%]',
  ],
  flags: {
    from: 'the beginning of what is compared: 2026-11-09, 2026-11-09T14:30:00Z, or ms or s since 1970',
    to: 'the end, not included; now if left out',
    size: 'every quantity so many times as large, such as 0.5',
    quantity: 'every entry of this size, in what --quantity-type says; closes close what their strategy holds',
    'quantity-type': `what --quantity counts: ${SIZES.join(', ')}`,
    'stop-loss': 'of every entry, so far from its fill: 2% or 50ticks',
    'take-profit': 'of every entry, so far from its fill',
    trail: 'of every entry, so far behind the best price',
    'data-dir': 'data folder to read, instead of that of the settings; it is never written',
  },
  lists: { set: 'another limit, like strategy:ema.entriesPerDay=3 or key:main.largestOrder=none; once for each' },
  switches: {
    'no-refused': 'leave out the signals that were refused',
    all: 'list every signal, not only those that end otherwise',
    check: 'end with 1 where anything is different',
    json: 'print everything as JSON and nothing else',
  },
  async local(args, io) {
    noWords(args.words);
    const { fromMs, toMs } = stretchOf(args);
    const { flags, switches } = args;
    const options = { dataDir: flags['data-dir'], fromMs, toMs, changes: changesOf(args), set: args.lists.set ?? [] };
    const report = await withProgress(io.screen, (onProgress) => io.replay({ ...options, onProgress }));
    io.out(
      switches.has('json')
        ? JSON.stringify(replayJson(report), null, 2)
        : replayText(report, { all: switches.has('all') }, io.paint),
    );
    return switches.has('check') && isDifferent(report) ? DIFFERENT : DONE;
  },
};

const CLEAR_LINE = '\r\u001b[2K';

/** A line that says how much is done, where there is a terminal; it is gone at the end. */
async function withProgress<T>(
  screen: ScriptHost['screen'],
  work: (onProgress: (done: number, of: number) => void) => Promise<T>,
): Promise<T> {
  let shown = -1;
  const wipe = (): void => screen?.write(CLEAR_LINE);
  const forget = screen?.onInterrupt(wipe);
  try {
    return await work((done, of) => {
      const percent = Math.floor((100 * done) / of);
      if (percent === shown) return;
      shown = percent;
      screen?.write(`${CLEAR_LINE}Replaying ${percent}%`);
    });
  } finally {
    forget?.();
    wipe();
  }
}

function stretchOf({ flags: { from, to } }: Args): { readonly fromMs: number; readonly toMs: number | undefined } {
  if (!from) throw new UsageFault('--from is missing.');
  const fromMs = momentOf(from, 'from');
  const toMs = to === undefined ? undefined : momentOf(to, 'to');
  if (toMs !== undefined && fromMs >= toMs)
    throw new UsageFault('--from lies after --to; give the earlier moment first.');
  return { fromMs, toMs };
}

function changesOf({ flags, switches }: Args): ReplayChanges {
  const size = sizeOf(flags);
  const stops = stopsOf(flags);
  return {
    ...(size && { size }),
    ...(stops && { stops }),
    ...(switches.has('no-refused') && { withoutRefused: true }),
  };
}

/** Distances only: a price would be that of one market at one time. */
function stopsOf(flags: Args['flags']): ReplayChanges['stops'] | undefined {
  const given = Object.entries(STOP_FLAGS).flatMap(([flag, name]) => {
    const text = flags[flag];
    if (text === undefined) return [];
    const level = readLevel(text);
    if (level === undefined || level.unit === 'price')
      throw new UsageFault(`--${flag} ${text} is no distance; write it like 2% or 50ticks.`);
    return [[name, level] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

const STOP_FLAGS = { 'stop-loss': 'stopLoss', 'take-profit': 'takeProfit', trail: 'trail' } as const;

function sizeOf({ size, quantity, 'quantity-type': type }: Args['flags']): SizeChange | undefined {
  if (size !== undefined && quantity !== undefined) throw new UsageFault('Give --size or --quantity, not both.');
  if (type !== undefined && quantity === undefined) throw new UsageFault('--quantity-type belongs to --quantity.');
  if (size !== undefined) return { factor: amountOf(size, 'size') };
  if (quantity === undefined) return undefined;
  const quantityType = oneOf(type ?? 'base', SIZES, '--quantity-type') as (typeof SIZES)[number];
  return { quantity: amountOf(quantity, 'quantity'), quantityType };
}

function amountOf(text: string, flag: string) {
  if (plainNumber(text, flag) === 0) throw new UsageFault(`--${flag} must be more than 0.`);
  return decimal(text);
}

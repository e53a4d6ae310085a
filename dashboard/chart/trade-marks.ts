// The trades of a strategy on the bars: an arrow at each entry and exit, a line between them, and what the trade earned.

import { Canvas, type Context2D, type Slots, type Theme, type ValueScale } from '../../src/chart/painting.ts';
import type { AnswerTrade, BarColumns } from '../../src/pine/light.ts';
import { percent, signed } from '../ui/numbers.ts';
import { paneOf, type Sight, slotsOf } from './sight.ts';

type Tone = 'line' | 'up' | 'down';

/** What was bought or sold on one bar. */
export interface TradeMark {
  readonly bar: number;
  /** Buys point up from below the bar, sales down from above it. */
  readonly isBuy: boolean;
  /** An arrow each, the nearest first: an entry, or an exit with a gain or a loss. */
  readonly arrows: readonly Tone[];
  /** What the exits earned; the name of the order where it is an entry alone. */
  readonly words: string;
  readonly tone: Tone;
}

export interface TradeLine {
  readonly from: number;
  readonly to: number;
  readonly fromPrice: number;
  readonly toPrice: number;
  readonly isGain: boolean;
}

export interface TradeMarks {
  /** By their bars. */
  readonly marks: readonly TradeMark[];
  readonly lines: readonly TradeLine[];
}

interface Deal {
  readonly bar: number;
  readonly isBuy: boolean;
  /** Null for an entry. */
  readonly exit: AnswerTrade | null;
  readonly name: string;
}

export function tradeMarksOf(trades: readonly AnswerTrade[]): TradeMarks {
  const deals: Deal[] = [];
  const lines: TradeLine[] = [];
  for (const trade of trades) {
    const { direction, entry_bar: from, exit_bar: to, entry_price: fromPrice, exit_price: toPrice, profit } = trade;
    if (fromPrice === null) continue;
    const isLong = direction === 'long';
    deals.push({ bar: from, isBuy: isLong, exit: null, name: trade.entry_id });
    if (to === null || toPrice === null) continue;
    deals.push({ bar: to, isBuy: !isLong, exit: trade, name: '' });
    lines.push({ from, to, fromPrice, toPrice, isGain: (profit ?? 0) >= 0 });
  }
  const groups = Map.groupBy(deals, ({ bar, isBuy }) => `${bar} ${isBuy}`);
  return { marks: [...groups.values()].map(markOf).toSorted((a, b) => a.bar - b.bar), lines };
}

function markOf(deals: readonly Deal[]): TradeMark {
  const { bar, isBuy, name } = deals[0]!;
  const exits = deals.flatMap(({ exit }) => exit ?? []);
  const profit = exits.reduce((sum, exit) => sum + (exit.profit ?? 0), 0);
  const tone: Tone = exits.length === 0 ? 'line' : profit >= 0 ? 'up' : 'down';
  const arrows = deals.map(({ exit }): Tone => (exit === null ? 'line' : (exit.profit ?? 0) >= 0 ? 'up' : 'down'));
  return { bar, isBuy, arrows, tone, words: exits.length === 0 ? name : profitWords(profit, exits) };
}

/** `+12.30 (+1.20 %)`; of several exits their sum alone, since shares of different trades are not added. */
const profitWords = (profit: number, exits: readonly AnswerTrade[]): string => {
  const share = exits.length === 1 ? exits[0]!.profit_percent : null;
  return share === null ? signed(profit) : `${signed(profit)} (${percent(share / 100)})`;
};

const ARROW_PX = 4;
const ARROW_STEP_PX = 10;
const GAP_PX = 5;
const WORD_PX = 10;
const CAP_PX = 8;
/** How wide a letter is, as a share of its height: good enough to keep words apart. */
const LETTER_SHARE = 0.56;
/** Closer bars leave no room for words. */
const WORDS_FROM_PX = 5;

interface TradeLook {
  readonly theme: Theme;
  readonly font: string;
}

export function paintTrades(
  context: Context2D,
  sight: Sight,
  bars: BarColumns,
  { marks, lines }: TradeMarks,
  look: TradeLook,
): void {
  const canvas = new Canvas(context, sight.width, sight.height);
  const slots = slotsOf(sight, bars.count);
  const { box, scale } = paneOf(sight, { outputs: [], drawings: [] }, true, 0);
  canvas.clipped(box, () => {
    for (const line of lines) paintLine(canvas, slots, scale, line, look.theme);
    const wordsEnd = { true: Number.NEGATIVE_INFINITY, false: Number.NEGATIVE_INFINITY };
    for (const mark of marks) {
      if (mark.bar < slots.from || mark.bar >= slots.to) continue;
      const x = slots.xOfBar(mark.bar);
      const edge = scale.y((mark.isBuy ? bars.low : bars.high)[mark.bar]!);
      const end = paintArrows(canvas, x, edge, mark, look.theme);
      const width = mark.words.length * WORD_PX * LETTER_SHARE;
      // Words of a mark at the edge stay whole.
      const isInView = x >= box.left && x <= box.right;
      const left = isInView
        ? Math.max(box.left + GAP_PX, Math.min(x - width / 2, box.right - GAP_PX - width))
        : x - width / 2;
      const side = `${mark.isBuy}` as const;
      if (slots.pxPerBar < WORDS_FROM_PX || left < wordsEnd[side] + GAP_PX) continue;
      paintWords(canvas, left, end, mark, look);
      wordsEnd[side] = left + width;
    }
  });
}

function paintLine(canvas: Canvas, slots: Slots, scale: ValueScale, line: TradeLine, theme: Theme): void {
  const { from, to, fromPrice, toPrice, isGain } = line;
  if (to < slots.from || from >= slots.to) return;
  const ends = [slots.xOfBar(from), scale.y(fromPrice), slots.xOfBar(to), scale.y(toPrice)];
  canvas.strokeLine(ends, { color: isGain ? theme.up : theme.down, style: 'dotted', width: 1.2 });
}

/** Away from the bar; returns where they end. */
function paintArrows(canvas: Canvas, x: number, edge: number, { isBuy, arrows }: TradeMark, theme: Theme): number {
  const step = isBuy ? 1 : -1;
  for (const [i, tone] of arrows.entries()) {
    const tip = edge + step * (GAP_PX + i * ARROW_STEP_PX);
    const foot = tip + step * 2 * ARROW_PX;
    canvas.fillShape([x, tip, x + ARROW_PX, foot, x - ARROW_PX, foot], theme[tone]);
  }
  return edge + step * (GAP_PX + arrows.length * ARROW_STEP_PX);
}

/** On the ground of the chart, so that they can be read over bars and lines. */
function paintWords(
  canvas: Canvas,
  left: number,
  end: number,
  { isBuy, words, tone }: TradeMark,
  look: TradeLook,
): void {
  const base = isBuy ? end + CAP_PX + 2 : end - 2;
  const width = words.length * WORD_PX * LETTER_SHARE;
  const ground = { left: left - 2, top: base - CAP_PX - 2, right: left + width + 2, bottom: base + 3 };
  canvas.fillRounded(ground, 3, look.theme.background);
  canvas.write(words, left, base, look.theme[tone], `${WORD_PX}px ${look.font}`);
}

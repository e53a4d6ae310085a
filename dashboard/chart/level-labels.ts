// What levels are called, and at which price they stand: beside their lines, or at the edge behind which these lie.

import { Canvas, type Theme } from '../../src/chart/painting.ts';
import { plain } from '../ui/numbers.ts';
import type { Level } from './level.ts';
import type { Sight } from './sight.ts';

export interface LevelLabel {
  /** Its middle. */
  readonly y: number;
  readonly words: string;
  readonly kind: Level['kind'];
}

interface Room {
  /** Where the legend ends. */
  readonly top: number;
  /** That fit beside each other. */
  readonly letters: number;
}

const HEIGHT_PX = 18;
/** From one to the next. */
export const LABEL_STEP_PX = 20;

/** From the highest to the lowest price. */
export function levelLabels(
  levels: readonly Level[],
  { topPrice, bottomPrice, height }: Pick<Sight, 'topPrice' | 'bottomPrice' | 'height'>,
  { top, letters }: Room,
): readonly LevelLabel[] {
  let free = top + LABEL_STEP_PX / 2;
  const downwards = levels
    .toSorted((a, b) => b.price - a.price)
    .map((level) => {
      const y = Math.max(((topPrice - level.price) / (topPrice - bottomPrice)) * height, free);
      free = y + LABEL_STEP_PX;
      const arrow = level.price > topPrice ? '↑ ' : level.price < bottomPrice ? '↓ ' : '';
      return { y, words: `${arrow}${wordsOf(level, letters - arrow.length)}`, kind: level.kind };
    });
  // Those that were pushed out of view at the bottom push those above them.
  free = height - LABEL_STEP_PX / 2;
  return downwards
    .reverse()
    .map((label) => {
      const y = Math.min(label.y, free);
      free = y - LABEL_STEP_PX;
      return { ...label, y };
    })
    .reverse();
}

function wordsOf({ title, price, kind }: Level, letters: number): string {
  const at = `${kind === 'entry' ? ' at' : ''} ${plain(price)}`;
  const room = letters - at.length;
  return `${title.length <= room ? title : `${title.slice(0, room - 1).trimEnd()}…`}${at}`;
}

const WORD_PX = 11;
/** How wide a letter is, as a share of its height: good enough to say how many fit. */
const LETTER_SHARE = 0.54;
const [PAD_PX, EDGE_PX] = [6, 6];
/** On a narrow chart the legend takes the whole of the top, and the bar's own line two rows of it. */
const [LEGEND_BELOW_PX, LEGEND_ROW_PX] = [640, 20];
/** More of the width would hide the newest bars. */
const WIDTH_SHARE = 0.7;
const TONES = { entry: 'faint', stop: 'down', target: 'up' } as const;

interface LabelLook {
  readonly theme: Theme;
  readonly font: string;
  readonly legendLines: number;
}

export function paintLevelLabels(
  context: CanvasRenderingContext2D,
  sight: Sight,
  levels: readonly Level[],
  { theme, font, legendLines }: LabelLook,
): void {
  const top = sight.width < LEGEND_BELOW_PX ? (legendLines + 1) * LEGEND_ROW_PX : 0;
  const letters = Math.floor((sight.width * WIDTH_SHARE) / (WORD_PX * LETTER_SHARE));
  const cssFont = `${WORD_PX}px ${font}`;
  context.font = cssFont;
  const canvas = new Canvas(context, sight.width, sight.height);
  for (const { y, words, kind } of levelLabels(levels, sight, { top: top + EDGE_PX, letters })) {
    const right = sight.width - EDGE_PX;
    const left = right - context.measureText(words).width - 2 * PAD_PX;
    const box = { left, top: y - HEIGHT_PX / 2, right, bottom: y + HEIGHT_PX / 2 };
    const frame = { left: left - 1, top: box.top - 1, right: right + 1, bottom: box.bottom + 1 };
    canvas.fillRounded(frame, 5, theme[TONES[kind]]);
    canvas.fillRounded(box, 4, theme.background);
    canvas.write(words, left + PAD_PX, y + 4, theme[TONES[kind]], cssFont);
  }
}

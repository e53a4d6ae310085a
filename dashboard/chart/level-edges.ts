// Levels that lie above or below the prices in view: told at the edge behind which they are, the nearest first.

import { Canvas, type Context2D, type Theme } from '../../src/chart/painting.ts';
import { plain } from '../ui/numbers.ts';
import type { Level } from './level.ts';
import type { Sight } from './sight.ts';

export interface EdgeLabel {
  readonly edge: 'top' | 'bottom';
  /** How many of the same edge stand between it and that. */
  readonly place: number;
  readonly words: string;
  readonly kind: Level['kind'];
}

export function edgeLabels(
  levels: readonly Level[],
  { topPrice, bottomPrice }: Pick<Sight, 'topPrice' | 'bottomPrice'>,
): readonly EdgeLabel[] {
  const label = (edge: EdgeLabel['edge']) => (level: Level, place: number) => ({
    ...{ edge, place, kind: level.kind },
    words: `${edge === 'top' ? '↑' : '↓'} ${level.title} ${plain(level.price)}`,
  });
  const above = levels.filter(({ price }) => price > topPrice).toSorted((a, b) => a.price - b.price);
  const below = levels.filter(({ price }) => price < bottomPrice).toSorted((a, b) => b.price - a.price);
  return [...above.map(label('top')), ...below.map(label('bottom'))];
}

const WORD_PX = 11;
/** How wide a letter is, as a share of its height. */
const LETTER_SHARE = 0.54;
const [HEIGHT_PX, STEP_PX, PAD_PX, EDGE_PX] = [18, 21, 6, 6];
/** On a narrow chart the legend takes the whole of the top. */
const [LEGEND_BELOW_PX, LEGEND_PX] = [640, 44];
const TONES = { entry: 'faint', stop: 'down', target: 'up' } as const;

export function paintEdges(
  context: Context2D,
  sight: Sight,
  levels: readonly Level[],
  { theme, font }: { readonly theme: Theme; readonly font: string },
): void {
  const labels = edgeLabels(levels, sight);
  if (labels.length === 0) return;
  const canvas = new Canvas(context, sight.width, sight.height);
  for (const { edge, place, words, kind } of labels) {
    const right = sight.width - EDGE_PX;
    const left = right - words.length * WORD_PX * LETTER_SHARE - 2 * PAD_PX;
    const isOverLegend = edge === 'top' && sight.width < LEGEND_BELOW_PX;
    const away = (isOverLegend ? LEGEND_PX : EDGE_PX) + place * STEP_PX;
    const top = edge === 'top' ? away : sight.height - away - HEIGHT_PX;
    const box = { left, top, right, bottom: top + HEIGHT_PX };
    canvas.fillRounded(
      { left: left - 1, top: top - 1, right: right + 1, bottom: box.bottom + 1 },
      5,
      theme[TONES[kind]],
    );
    canvas.fillRounded(box, 4, theme.background);
    canvas.write(words, left + PAD_PX, top + 13, theme[TONES[kind]], `${WORD_PX}px ${font}`);
  }
}

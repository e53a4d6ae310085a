// Whether two lists of strokes are the same, one of a browser and one of a recorder, and where they differ first.

import type { Stroke } from '../../../dashboard/chart/testing/recorder.ts';

/** Whole pixels are rounded from places that are known to a part of one. */
export const TOLERANCE_PX = 1.25;
const LARGEST_VIEW_PX = 1500;
/** How many numbers of a stroke are places or sizes; all others are as they are. */
const PLACES: Readonly<Record<string, number>> = { move: 2, line: 2, rect: 4, round: 4, arc: 2, fillRect: 4, text: 2 };

/** Of what lies far out of view, less is known. */
const toleranceAt = (px: number): number => TOLERANCE_PX * Math.max(1, Math.abs(px) / LARGEST_VIEW_PX);

const isSame = ([name, ...found]: Stroke, [wantedName, ...wanted]: Stroke): boolean =>
  name === wantedName &&
  found.length === wanted.length &&
  wanted.every((value, i) => {
    if (typeof value !== 'number') return plainColor(`${found[i]}`) === plainColor(value);
    const isPlace = i < (PLACES[name] ?? 0) || (name === 'fill' && found[0] === 'gradient');
    return Math.abs(Number(found[i]) - value) <= (isPlace ? toleranceAt(value) : 0.01);
  });

/** A browser writes a color in its own way: #rrggbb, or its parts with a share. */
export function plainColor(text: string): string {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return /^#[0-9a-f]{6}$/.test(text) ? `${text}ff` : text;
  const bytes = [...parts.slice(0, 3), Math.round(parts[3]! * 255)];
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Rounded from less than a pixel, it may not be there. */
const isSliver = ([name, , , width, height]: Stroke): boolean =>
  name === 'fillRect' && Math.min(Number(width), Number(height)) <= TOLERANCE_PX;

/** The first stroke of a layer that differs, in words; undefined where all are the same. */
export function differenceOf(found: readonly Stroke[], wanted: readonly Stroke[]): string | undefined {
  let [here, there] = [0, 0];
  while (here < found.length || there < wanted.length) {
    const [ours, theirs] = [found[here], wanted[there]];
    if (ours !== undefined && theirs !== undefined && isSame(ours, theirs)) [here, there] = [here + 1, there + 1];
    else if (ours !== undefined && isSliver(ours)) here += 1;
    else if (theirs !== undefined && isSliver(theirs)) there += 1;
    else {
      const words = (strokes: readonly Stroke[], at: number) => strokes.slice(at, at + 3).map((own) => own.join(' '));
      const place = `stroke ${there} of ${wanted.length}`;
      return `${place}: ${words(found, here).join(', ')}; the server has ${words(wanted, there).join(', ')}`;
    }
  }
  return undefined;
}

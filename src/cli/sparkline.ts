// A curve in one line of text: eight heights of a block, the lowest value the lowest.

const BLOCKS = '▁▂▃▄▅▆▇█';

/** The last value of as many equal stretches as there is width; none for no values. */
export function sparkline(values: readonly number[], width: number): string {
  const finite = values.filter(Number.isFinite);
  const count = Math.min(width, finite.length);
  if (count < 1) return '';
  const shown = Array.from({ length: count }, (_, i) => finite[Math.ceil(((i + 1) * finite.length) / count) - 1]!);
  const low = shown.reduce((a, b) => Math.min(a, b));
  const high = shown.reduce((a, b) => Math.max(a, b));
  // Divided first: the difference of the largest numbers is beyond any number.
  const steps = BLOCKS.length - 1;
  const range = high / steps - low / steps;
  const heightOf = (value: number): number => (range > 0 ? Math.round(value / range - low / range) : 0);
  return shown.map((value) => BLOCKS[Math.min(steps, heightOf(value))]).join('');
}

interface Point {
  readonly timeMs: number;
  readonly value: number;
}

/** Of values that stand until the next one: every letter is as long a time, however many points are in it. */
export function sparklineOverTime(points: readonly Point[], width: number): string {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || width < 1) return '';
  const spanMs = last.timeMs - first.timeMs;
  if (spanMs === 0) return sparkline([last.value], width);
  let at = 0;
  const values = Array.from({ length: width }, (_, i) => {
    const untilMs = first.timeMs + (spanMs * (i + 1)) / width;
    while (at + 1 < points.length && points[at + 1]!.timeMs <= untilMs) at += 1;
    return points[at]!.value;
  });
  // The last moment is the last point, whatever the division of the time makes of it.
  values[width - 1] = last.value;
  return sparkline(values, width);
}

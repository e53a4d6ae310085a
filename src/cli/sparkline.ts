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

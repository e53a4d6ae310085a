// A small chart for a terminal, drawn with the dots of braille letters: two across and four down in each.

/** Bit of each dot, by row and column, as Unicode numbers them. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BRAILLE = 0x2800;
const DOTS_DOWN = 4;
const DOTS_ACROSS = 2;

export interface ChartSize {
  /** Letters across and down, without the labels. */
  readonly width: number;
  readonly height: number;
}

/** Lines of text: the chart with its highest and lowest value at the left. Undefined when there is nothing to draw. */
export function drawChart(values: Float64Array, { width, height }: ChartSize): string[] | undefined {
  const [low, high] = rangeOf(values);
  if (low > high) return undefined;
  const cells = Array.from({ length: height }, () => new Uint8Array(width));
  const dotsDown = height * DOTS_DOWN;
  const dotsAcross = Math.min(width * DOTS_ACROSS, values.length);
  // The difference of the largest numbers is beyond any number; half of it is not.
  const scale = high - low === Number.POSITIVE_INFINITY ? 0.5 : 1;
  const range = high * scale - low * scale;
  // A flat line runs through the middle.
  const rowOf = (value: number): number =>
    range === 0 ? Math.floor(dotsDown / 2) : Math.round(((high * scale - value * scale) / range) * (dotsDown - 1));
  let previous: number | undefined;
  for (let x = 0; x < dotsAcross; x += 1) {
    const span = spanOf(values, x, dotsAcross);
    if (span === undefined) {
      previous = undefined;
      continue;
    }
    const top = Math.min(rowOf(span.high), previous ?? dotsDown);
    const bottom = Math.max(rowOf(span.low), previous ?? -1);
    for (let y = top; y <= bottom; y += 1) setDot(cells, x, y);
    previous = rowOf(span.last);
  }
  return labelled(
    cells,
    range === 0
      ? [[Math.floor(height / 2), high]]
      : [
          [0, high],
          [height - 1, low],
        ],
  );
}

/** Lowest and highest number, or an empty range. */
function rangeOf(values: Float64Array): [low: number, high: number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** What the bars behind one column of dots reach, or undefined where there is no number among them. */
function spanOf(values: Float64Array, x: number, columns: number) {
  const from = Math.floor((x * values.length) / columns);
  const to = Math.max(from + 1, Math.floor(((x + 1) * values.length) / columns));
  const part = values.subarray(from, to);
  const [low, high] = rangeOf(part);
  if (low > high) return undefined;
  return { low, high, last: part.findLast(Number.isFinite) ?? low };
}

function setDot(cells: readonly Uint8Array[], x: number, y: number): void {
  const row = cells[Math.floor(y / DOTS_DOWN)];
  const column = Math.floor(x / DOTS_ACROSS);
  if (row !== undefined) row[column] = (row[column] ?? 0) | (DOTS[y % DOTS_DOWN]?.[x % DOTS_ACROSS] ?? 0);
}

/** Each label stands at the left of its row. */
function labelled(cells: readonly Uint8Array[], labels: readonly (readonly [row: number, value: number])[]): string[] {
  const texts = new Map(labels.map(([row, value]) => [row, label(value)]));
  const margin = Math.max(...[...texts.values()].map(({ length }) => length));
  return cells.map((row, index) => {
    const drawn = Array.from(row, (dots) => (dots === 0 ? ' ' : String.fromCharCode(BRAILLE + dots))).join('');
    return `${(texts.get(index) ?? '').padStart(margin)} │${drawn}`.trimEnd();
  });
}

/** Enough digits to read, not all of them. */
export function label(value: number): string {
  if (Number.isNaN(value)) return 'na';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e12 || size < 1e-6)) return value.toExponential(4);
  return String(Number(value.toPrecision(size >= 1e6 ? 12 : 8)));
}

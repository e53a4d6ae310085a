// The frame of a chart: where bars and values stand, round values at the side, dates below.
//
// The drawing is stretched to the width of the page, so its letters stand beside it as text of the page: on a phone they
// are as large as everywhere.

import { html, type Markup, own } from './html.ts';

/** Units of the drawing; it is stretched, so they are no pixels. */
export const WIDTH = 1000;
export const HEIGHT = 300;

/** Digits of a place: a tenth of a unit is less than a pixel. */
const round = (value: number): number => Math.round(value * 10) / 10;

export interface Frame {
  x(bar: number): number;
  y(value: number): number;
  readonly low: number;
  readonly high: number;
  readonly from: number;
  readonly to: number;
}

/** Bars from `from` up to but without `to`, each in the middle of its share of the width. */
export function frameOf({ from, to, low, high }: Pick<Frame, 'from' | 'to' | 'low' | 'high'>): Frame {
  const room = (high - low) * 0.04 || Math.abs(high) * 0.01 || 1;
  const [bottom, top] = [low - room, high + room];
  const count = Math.max(1, to - from);
  return {
    from,
    to,
    low: bottom,
    high: top,
    x: (bar) => round(((bar - from + 0.5) / count) * WIDTH),
    y: (value) => round(((top - value) / (top - bottom)) * HEIGHT),
  };
}

const STEPS = [1, 2, 2.5, 5, 10];

/** Some four values with few digits. */
export function roundValues(low: number, high: number, count = 4): number[] {
  const rough = (high - low) / count;
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (STEPS.find((each) => each * power >= rough) ?? 10);
  const found: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high && found.length <= 2 * count; at += 1)
    found.push(Number((at * step).toPrecision(12)));
  return found;
}

export interface ChartParts {
  readonly id: string;
  readonly title: string;
  readonly frame: Frame;
  readonly times: Float64Array;
  readonly label: (value: number) => string;
  readonly drawing: readonly Markup[];
  readonly legend: readonly Markup[];
  /** A second, lower chart has less height. */
  readonly isLow?: boolean;
  /** One that can be made wider than the page, to look at it piece by piece. */
  readonly isZoomed?: boolean;
}

const ZOOMS = [1, 4, 16];

const zoomChoice = (id: string): Markup =>
  html`<span class="zoom">${ZOOMS.map(
    (zoom) =>
      html`<label><input type="radio" name="zoom-${id}" value="${zoom}"${own(zoom === 1 ? ' checked' : '')}>${zoom}×</label>`,
  )}</span>`;

export function chartOf(parts: ChartParts): Markup {
  const { id, title, frame, times, label, drawing, legend, isLow = false, isZoomed = false } = parts;
  const values = roundValues(frame.low, frame.high, isLow ? 2 : 4);
  const lines = values.map((value) => html`<path class="grid" d="M0 ${frame.y(value)}H${WIDTH}"/>`);
  const sides = values.map(
    (value) => html`<span style="--at:${percentOf(frame.y(value), HEIGHT)}">${label(value)}</span>`,
  );
  return html`<figure class="chart${own(isLow ? ' low' : '')}" id="${id}" data-from="${frame.from}" data-to="${frame.to}" data-low="${frame.low}" data-high="${frame.high}">
<figcaption><b>${title}</b> ${legend}${isZoomed ? zoomChoice(id) : html``}</figcaption>
<div class="plot"><div class="pane"><div class="sheet"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}">${lines}${drawing}</svg>
<div class="cursor" hidden></div><div class="dates" aria-hidden="true">${datesOf(frame, times, isZoomed)}</div></div></div>
<div class="values" aria-hidden="true">${sides}</div></div></figure>
`;
}

/** Dates on the width of a page. */
const DATES = 5;

/** Where the chart can be made wider, there are dates for each width. */
function datesOf({ from, to, x }: Frame, times: Float64Array, isZoomed: boolean): Markup[] {
  return (isZoomed ? ZOOMS : [1]).flatMap((zoom) => {
    const count = Math.min(DATES * zoom, to - from);
    return Array.from({ length: count }, (_, index) => {
      const bar = from + Math.floor(((index + 0.5) * (to - from)) / count);
      return html`<span class="at${zoom}" style="left:${percentOf(x(bar), WIDTH)}">${dayOf(times[bar]!)}</span>`;
    });
  });
}

const percentOf = (part: number, whole: number): string => `${Math.round((part / whole) * 10_000) / 100}%`;

export const dayOf = (timeMs: number): string => momentOf(timeMs).slice(0, 10);
/** `2024-03-01 14:30`, in UTC. */
export function momentOf(timeMs: number): string {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString().slice(0, 16).replace('T', ' ');
}

/** One path through all places; a gap where a value is none. */
export function line(points: Iterable<readonly [x: number, y: number]>): string {
  let [text, isDown] = ['', false];
  for (const [x, y] of points) {
    if (Number.isFinite(y)) text += `${isDown ? 'L' : 'M'}${x} ${y}`;
    isDown = Number.isFinite(y);
  }
  return text;
}

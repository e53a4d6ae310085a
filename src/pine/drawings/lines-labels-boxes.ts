// Lines, labels and boxes: drawings with corners on the chart, made by coordinates or by points.

import { functions, type ValueEntries, type ValueFunction } from '../values/entry.ts';
import type { Journal } from '../values/rollback.ts';
import { PineRuntimeError } from '../values/runtime-error.ts';
import { type ChartPoint, placeOf, priceOf } from './chart-point.ts';
import { Drawing, Line } from './drawing.ts';
import { BOX, LABEL, LINE, type Property, type PropertyList } from './properties.ts';
import type { DrawingStore } from './store.ts';

/** The language's own limits on bar indices; times may be anywhere. */
const FARTHEST_AHEAD_BARS = 500;
const FARTHEST_BACK_BARS = 10_000;

export interface AnchorHost {
  readonly journal: Journal;
  readonly barIndex: () => number;
  /** Of the newest bar on the chart. */
  readonly lastBarIndex: () => number;
}

interface Corner {
  readonly x: string;
  readonly y: string;
  /** Parameter of the constructor by points, and the setter that takes a point. */
  readonly point: string;
  readonly setter: string;
}

interface AnchoredDrawing {
  readonly kind: 'line' | 'label' | 'box';
  readonly properties: PropertyList;
  readonly corners: readonly Corner[];
  /** Properties by the setter that sets them, in the order of its parameters. */
  readonly setters: Readonly<Record<string, readonly string[]>>;
  readonly getters: readonly string[];
  readonly make: (journal: Journal, id: number, values: Property[]) => Drawing;
}

/** Setters that set the property they are named after. */
const named = (...properties: string[]) =>
  Object.fromEntries(properties.map((property) => [`set_${property}`, [property]]));

const LINES: AnchoredDrawing = {
  kind: 'line',
  properties: LINE,
  corners: [
    { x: 'x1', y: 'y1', point: 'first_point', setter: 'set_first_point' },
    { x: 'x2', y: 'y2', point: 'second_point', setter: 'set_second_point' },
  ],
  setters: {
    ...named('x1', 'y1', 'x2', 'y2', 'extend', 'color', 'style', 'width'),
    set_xy1: ['x1', 'y1'],
    set_xy2: ['x2', 'y2'],
    set_xloc: ['x1', 'x2', 'xloc'],
  },
  getters: ['x1', 'y1', 'x2', 'y2'],
  make: (journal, id, values) => new Line(journal, id, values),
};

const LABELS: AnchoredDrawing = {
  kind: 'label',
  properties: LABEL,
  corners: [{ x: 'x', y: 'y', point: 'point', setter: 'set_point' }],
  setters: {
    ...named('x', 'y', 'text', 'yloc', 'color', 'style', 'textcolor', 'size', 'textalign', 'tooltip'),
    ...named('text_font_family', 'text_formatting'),
    set_xy: ['x', 'y'],
    set_xloc: ['x', 'xloc'],
  },
  getters: ['x', 'y', 'text'],
  make: (journal, id, values) => new Drawing(journal, 'label', id, values),
};

const BOXES: AnchoredDrawing = {
  kind: 'box',
  properties: BOX,
  corners: [
    { x: 'left', y: 'top', point: 'top_left', setter: 'set_top_left_point' },
    { x: 'right', y: 'bottom', point: 'bottom_right', setter: 'set_bottom_right_point' },
  ],
  setters: {
    ...named('left', 'top', 'right', 'bottom', 'border_color', 'border_width', 'border_style', 'extend', 'bgcolor'),
    ...named('text', 'text_size', 'text_color', 'text_halign', 'text_valign', 'text_wrap'),
    ...named('text_font_family', 'text_formatting'),
    set_lefttop: ['left', 'top'],
    set_rightbottom: ['right', 'bottom'],
    set_xloc: ['left', 'right', 'xloc'],
  },
  getters: ['left', 'top', 'right', 'bottom'],
  make: (journal, id, values) => new Drawing(journal, 'box', id, values),
};

/** `line.new` and `line.new<points>`, and so on: the two forms of a constructor are entries of their own. */
export function lineLabelBoxEntries(host: AnchorHost, store: DrawingStore): ValueEntries {
  return {
    ...entriesOf(LINES, host, store),
    ...functions('line.', { get_price: priceAt }),
    ...entriesOf(LABELS, host, store),
    ...entriesOf(BOXES, host, store),
  };
}

function entriesOf(drawing: AnchoredDrawing, host: AnchorHost, store: DrawingStore): ValueEntries {
  const calls: Record<string, ValueFunction> = {
    ...constructors(drawing, host, store),
    copy: (id: Drawing | null) =>
      id === null || id.removed ? null : store.add(drawing.make(host.journal, store.takeId(), id.values.slice())),
    delete: (id: Drawing | null) => {
      if (id !== null) store.remove(id);
    },
  };
  for (const name of drawing.getters) calls[`get_${name}`] = getter(drawing, name);
  for (const [name, properties] of Object.entries(drawing.setters))
    calls[name] = setter(drawing, host, name, properties);
  for (const corner of drawing.corners) calls[corner.setter] = pointSetter(drawing, host, corner);
  return functions(`${drawing.kind}.`, calls);
}

function constructors(drawing: AnchoredDrawing, host: AnchorHost, store: DrawingStore): Record<string, ValueFunction> {
  const { kind, properties, corners } = drawing;
  const xloc = properties.slotOf('xloc');
  const xSlots = corners.map(({ x }) => properties.slotOf(x));
  const make = (values: Property[], parameters: readonly string[]) => {
    for (let i = 0; i < xSlots.length; i += 1) {
      const slot = xSlots[i]!;
      values[slot] = wholePlace(values[slot]!);
      checkPlace(host, values[slot], values[xloc]!, `${kind}.new`, parameters[i]!);
    }
    return store.add(drawing.make(host.journal, store.takeId(), properties.accept(values)));
  };
  const byCoordinates = corners.map(({ x }) => x);
  const byPoints = corners.map(({ point }) => point);
  return {
    new: (...values: Property[]) => make(values, byCoordinates),
    'new<points>': (...given: (ChartPoint | Property)[]) => {
      const points = given.slice(0, corners.length) as (ChartPoint | null)[];
      const look = given.slice(corners.length) as Property[];
      const at = look[xloc - 2 * corners.length];
      const coordinates = points.flatMap((point) => [placeOf(point, at), priceOf(point)]);
      return make([...coordinates, ...look], byPoints);
    },
  };
}

function getter(drawing: AnchoredDrawing, name: string): ValueFunction {
  const slot = drawing.properties.slotOf(name);
  const na = drawing.properties.forms[slot] === 'text' ? null : Number.NaN;
  return (id: Drawing | null) => (id === null || id.removed ? na : id.values[slot]);
}

function setter(drawing: AnchoredDrawing, host: AnchorHost, name: string, names: readonly string[]): ValueFunction {
  const { kind, properties, corners } = drawing;
  const slots = names.map((property) => properties.slotOf(property));
  const xloc = properties.slotOf('xloc');
  const xlocArgument = slots.indexOf(xloc);
  const xArguments = names.flatMap((property, i) => (corners.some(({ x }) => x === property) ? [i] : []));
  return (id: Drawing | null, ...values: Property[]) => {
    if (id === null || id.removed) return;
    const axis = xlocArgument >= 0 ? values[xlocArgument]! : id.values[xloc]!;
    for (const i of xArguments) {
      values[i] = wholePlace(values[i]!);
      checkPlace(host, values[i], axis, `${kind}.${name}`, names[i]!);
    }
    for (let i = 0; i < slots.length; i += 1) {
      properties.check(slots[i]!, values[i]!);
      id.write(slots[i]!, values[i]!);
    }
  };
}

function pointSetter({ kind, properties }: AnchoredDrawing, host: AnchorHost, corner: Corner): ValueFunction {
  const [x, y, xloc] = [corner.x, corner.y, 'xloc'].map((name) => properties.slotOf(name)) as [number, number, number];
  return (id: Drawing | null, point: ChartPoint | null) => {
    if (id === null || id.removed) return;
    const place = wholePlace(placeOf(point, id.values[xloc]));
    checkPlace(host, place, id.values[xloc]!, `${kind}.${corner.setter}`, 'point');
    id.write(x, place);
    id.write(y, priceOf(point));
  };
}

/** Bars and milliseconds are whole. What the language calls an int may hold a fraction, as the mean of ints does. */
const wholePlace = (x: Property): number => Math.trunc(x as number) + 0;

/** Bar indices must not be far before the bar that runs nor far behind the chart's last; na is nowhere and passes. */
export function checkPlace(host: AnchorHost, x: Property, xloc: Property, call: string, parameter: string): void {
  if (xloc === 'bar_time') return;
  if ((x as number) - host.lastBarIndex() > FARTHEST_AHEAD_BARS)
    throw new PineRuntimeError(
      `Objects positioned using xloc.bar_index cannot be drawn further than ${FARTHEST_AHEAD_BARS} bars into the future.`,
    );
  if (host.barIndex() - (x as number) > FARTHEST_BACK_BARS)
    throw new PineRuntimeError(
      `Bar index value of the \`${parameter}\` argument (${x}) in \`${call}()\` is too far from the current bar index. Try using \`time\` instead.`,
    );
}

const X1 = LINE.slotOf('x1');
const Y1 = LINE.slotOf('y1');
const X2 = LINE.slotOf('x2');
const Y2 = LINE.slotOf('y2');
const XLOC = LINE.slotOf('xloc');

/** The line is taken as endless; an upright one has no price at any bar. */
function priceAt(id: Drawing | null, index: number): number {
  if (id === null || id.removed) return Number.NaN;
  if (id.values[XLOC] === 'bar_time')
    throw new PineRuntimeError("`line.get_price()` can only be called for lines created using 'xloc.bar_index'.");
  const x1 = id.values[X1] as number;
  const y1 = id.values[Y1] as number;
  const width = (id.values[X2] as number) - x1;
  return width === 0 ? Number.NaN : y1 + ((index - x1) * ((id.values[Y2] as number) - y1)) / width;
}

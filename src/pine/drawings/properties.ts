// The properties of every kind of drawing, in the order in which its constructor takes them.
//
// A drawing keeps its properties in one list, a slot each, so that a constructor's arguments are the drawing as they
// come, a setter is one store, a copy is one slice and the undo of a change is a slot and its old value.

import { checkLength } from '../values/strings/limit.ts';

export type DrawingKind = 'line' | 'linefill' | 'polyline' | 'label' | 'box' | 'table';

/** As held at run time: na of a number is NaN, of anything else null; colors are 0xRRGGBBAA. */
export type Property = number | string | boolean | null;

/** How a property goes into the result: colors as text, sums of formats in one form, the rest as it is. */
export type PropertyForm = 'plain' | 'color' | 'text' | 'format';

/** What a version 5 script cannot say about its texts. */
const LEFT_OUT_IN_V5 = 'format_none';

export class PropertyList {
  readonly names: readonly string[];
  readonly forms: readonly PropertyForm[];
  private readonly textSlots: readonly number[];

  /** Names with a space between them; what stands after a colon is the form: `x y text:text color:color`. */
  constructor(notation: string) {
    const parts = notation.trim().split(/\s+/);
    this.names = parts.map((part) => part.split(':')[0]!);
    this.forms = parts.map((part) => (part.split(':')[1] ?? 'plain') as PropertyForm);
    this.textSlots = this.forms.flatMap((form, slot) => (form === 'text' ? [slot] : []));
  }

  slotOf(name: string): number {
    const slot = this.names.indexOf(name);
    if (slot < 0) throw new Error(`there is no property ${name} among ${this.names.join(', ')}`);
    return slot;
  }

  /** The arguments of a constructor as the slots of a new drawing; the list is the drawing's own from now on. */
  accept(values: Property[]): Property[] {
    // Only `text_formatting` can be missing, and it is always the last.
    while (values.length < this.names.length) values.push(LEFT_OUT_IN_V5);
    for (const slot of this.textSlots) checkText(values[slot] as string | null);
    return values;
  }

  /** Refuses a text that is too long; everything else passes. */
  check(slot: number, value: Property): void {
    if (this.forms[slot] === 'text') checkText(value as string | null);
  }
}

/** A text of the source may be longer than the language allows, and hundreds of labels would repeat it in the result. */
function checkText(text: string | null): void {
  if (text !== null) checkLength(text.length);
}

export const LINE = new PropertyList('x1 y1 x2 y2 xloc extend color:color style width force_overlay');

export const LINEFILL = new PropertyList('color:color');

/** After the points. */
export const POLYLINE = new PropertyList(
  'curved closed xloc line_color:color fill_color:color line_style line_width force_overlay',
);

export const LABEL = new PropertyList(
  `x y text:text xloc yloc color:color style textcolor:color size textalign tooltip:text text_font_family force_overlay
  text_formatting:format`,
);

export const BOX = new PropertyList(
  `left top right bottom border_color:color border_width border_style extend xloc bgcolor:color text:text text_size
  text_color:color text_halign text_valign text_wrap text_font_family force_overlay text_formatting:format`,
);

export const TABLE = new PropertyList(
  `position columns rows bgcolor:color frame_color:color frame_width border_color:color border_width force_overlay`,
);

/** Of one cell of a table, after its column and row. */
export const CELL = new PropertyList(
  `text:text width height text_color:color text_halign text_valign text_size bgcolor:color tooltip:text
  text_font_family text_formatting:format`,
);

export const PROPERTIES: Readonly<Record<DrawingKind, PropertyList>> = {
  line: LINE,
  linefill: LINEFILL,
  polyline: POLYLINE,
  label: LABEL,
  box: BOX,
  table: TABLE,
};

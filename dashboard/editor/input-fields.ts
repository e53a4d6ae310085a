// The inputs of a script as fields of a form: in groups and lines, and each text read as the kind of value that the input takes.

import type { DeclaredInput } from '../../src/pine/index.ts';

export type InputValue = string | number | boolean | null;

/** By title, only those that are not the script's own. */
export type InputValues = Readonly<Record<string, InputValue>>;

/** Inputs that stand in one line: those with the same word for it, else each alone. */
export type InputLine = readonly DeclaredInput[];

export interface InputGroup {
  /** Empty for those outside of any. */
  readonly name: string;
  readonly lines: readonly InputLine[];
}

/** Groups in the order of the script, as TradingView shows them; a line stands where its first input does. */
export function inGroups(inputs: readonly DeclaredInput[]): readonly InputGroup[] {
  return [...Map.groupBy(inputs, ({ group }) => group)].map(([name, inside]) => ({
    name,
    lines: [...Map.groupBy(inside, (input) => (input.inline === '' ? input : input.inline)).values()],
  }));
}

export const valueIn = (input: DeclaredInput, values: InputValues): InputValue =>
  (Object.hasOwn(values, input.title) ? values[input.title] : input.default) as InputValue;

/** With one changed; the script's own value is none of the user's. */
export function withValue(values: InputValues, { title, default: own }: DeclaredInput, value: InputValue): InputValues {
  const { [title]: _, ...others } = values;
  return value === own ? others : { ...others, [title]: value };
}

/** Of the inputs that the script has; what was said of others counts for nothing. */
export const valuesOf = (inputs: readonly DeclaredInput[], values: InputValues): InputValues =>
  Object.fromEntries(Object.entries(values).filter(([title]) => inputs.some((input) => input.title === title)));

export type ReadValue = { readonly value: InputValue } | { readonly fault: string };

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const SESSION = /^(?:24x7|\d{4}-\d{4}(?:,\d{4}-\d{4})*(?::[1-7]{1,7})?)$/;

/** What was typed, as the value of the input, or why it is none. */
export function readValue(input: DeclaredInput, text: string): ReadValue {
  const { type } = input;
  if (type === 'int' || type === 'float' || type === 'price') return readNumber(input, text.trim());
  if (type === 'session' && !SESSION.test(text.trim()))
    return { fault: 'A session is written as 0930-1600, with days as 0930-1600:23456 (1 is Sunday).' };
  return { value: type === 'session' || type === 'symbol' ? text.trim() : text };
}

function readNumber({ type, min, max }: DeclaredInput, text: string): ReadValue {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) return { fault: 'Type a number.' };
  if (type === 'int' && !Number.isInteger(value)) return { fault: 'Type a whole number.' };
  if (min !== null && value < min) return { fault: `At least ${min}.` };
  if (max !== null && value > max) return { fault: `At most ${max}.` };
  return { value };
}

/** `#RRGGBB` and how opaque it is, of 255. */
export function colorParts(value: InputValue): readonly [color: string, opacity: number] {
  const [, color = '#000000', opacity = 'ff'] = /^(#[0-9a-f]{6})([0-9a-f]{2})?$/i.exec(String(value)) ?? [];
  return [color.toLowerCase(), Number.parseInt(opacity, 16)];
}

export const colorOf = (color: string, opacity: number): string =>
  (opacity >= 255 ? color : `${color}${opacity.toString(16).padStart(2, '0')}`).toUpperCase();

/** What a field for a date and time shows of a point in time: minutes, in the user's zone. */
export function localMinute(atMs: number): string {
  const at = new Date(atMs);
  return new Date(atMs - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Timeframes that people choose; a script's own is added to them. */
export const TIMEFRAMES: readonly (readonly [value: string, words: string])[] = [
  ['', 'Same as the chart'],
  ['1', '1 minute'],
  ['5', '5 minutes'],
  ['15', '15 minutes'],
  ['30', '30 minutes'],
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['1D', '1 day'],
  ['1W', '1 week'],
  ['1M', '1 month'],
];

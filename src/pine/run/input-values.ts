// The values that the inputs of a script have in one run: the script's defaults, and what the caller sets by title.

import { quoted } from '../check/constants-of-call.ts';
import { acceptsValue, neededText, SOURCES } from '../check/inputs-rules.ts';
import type { ConstantValue, InputKind, InputSpec } from '../check/tree.ts';
import { nearestName } from '../syntax/index.ts';
import { formatColor, parseColor } from '../values/index.ts';
import { parseDate } from '../values/time/timestamp.ts';

export interface InputValue {
  readonly spec: InputSpec;
  /**
   * What the script gets: a color as 0xRRGGBBAA, of an enum the member's name, of a source the name of the series, or
   * null for the expression in the script.
   */
  readonly value: ConstantValue;
  readonly isDefault: boolean;
}

/** An input as the evaluate contract lists it: colors as text, members of an enum by their titles. */
export interface ListedInput {
  readonly title: string;
  readonly type: InputKind;
  readonly default: ConstantValue;
  readonly value: ConstantValue;
  readonly min: number | null;
  readonly max: number | null;
  readonly step: number | null;
  readonly options: readonly ConstantValue[] | null;
  readonly group: string;
  readonly tooltip: string;
}

/** Further faults are counted but not told: looking for near titles takes time, and a longer list helps nobody. */
const MAX_LISTED_FAULTS = 20;
/** Titles that a message lists when none is near the one given. */
const MAX_LISTED_TITLES = 10;

/** The values given do not fit the script's inputs. The message names each fault with its remedy. */
export class InputFault extends Error {
  override readonly name = 'InputFault';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const [only = ''] = faults;
    super(
      faults.length === 1
        ? `The inputs cannot be used: ${only}`
        : `The inputs cannot be used:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    );
    this.faults = faults;
  }
}

/** One value per input, in the order of the script. Values may be given as text, as a command line has them. */
export function inputValues(
  specs: readonly InputSpec[],
  overrides: Readonly<Record<string, unknown>>,
): readonly InputValue[] {
  const given = new Map(Object.entries(overrides).filter(([, value]) => value !== undefined));
  const faults = new FaultList();
  const values = specs.map((spec): InputValue => {
    if (!given.has(spec.title)) return { spec, value: spec.defaultValue, isDefault: true };
    const override = given.get(spec.title);
    given.delete(spec.title);
    const value = readValue(spec, override);
    if (value === undefined || !acceptsValue(spec, value))
      faults.add(() => `${quoted(spec.title)} cannot be ${shown(override)}; it must be ${neededText(spec)}.`);
    return { spec, value: value ?? null, isDefault: value === spec.defaultValue };
  });
  for (const title of given.keys()) faults.add(() => unknownTitle(title, specs));
  faults.throwIfAny();
  return values;
}

class FaultList {
  readonly #listed: string[] = [];
  #more = 0;

  add(describe: () => string): void {
    if (this.#listed.length < MAX_LISTED_FAULTS) this.#listed.push(describe());
    else this.#more += 1;
  }

  throwIfAny(): void {
    if (this.#more > 0) this.#listed.push(`There are ${this.#more} more; correct the first ones and try again.`);
    if (this.#listed.length > 0) throw new InputFault(this.#listed);
  }
}

export function unknownTitle(title: string, specs: readonly InputSpec[]): string {
  const titles = specs.map((spec) => spec.title);
  const unknown = `The script has no input ${quoted(title)}`;
  const meant = nearestName(title, titles);
  if (meant !== null) return `${unknown}; did you mean ${quoted(meant)}?`;
  if (titles.length === 0) return `${unknown}, nor any other; leave it out.`;
  const listed = titles.slice(0, MAX_LISTED_TITLES).map(quoted).join(', ');
  const more = titles.length - MAX_LISTED_TITLES;
  return `${unknown}; it has ${listed}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** Anything at all may be given, so nothing here relies on it having a text of its own. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'object' || typeof value === 'function' ? 'an object' : quoted(value);
}

type Reader = (given: unknown, spec: InputSpec) => ConstantValue | undefined;

const readText: Reader = (given) => (typeof given === 'string' ? given : undefined);

/** As people type numbers; more than str.tonumber() takes. */
const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Text that spells no number is no value; na has no place here. */
const readNumber: Reader = (given) => {
  const number = typeof given === 'string' && NUMBER.test(given) ? Number(given) : given;
  return typeof number === 'number' && !Number.isNaN(number) ? number : undefined;
};

/** The longest way to write a date is shorter; nothing longer is searched for one. */
const MAX_DATE_LENGTH = 100;

const readTime: Reader = (given, spec) => {
  const number = readNumber(given, spec);
  if (number !== undefined || typeof given !== 'string') return number;
  return given.length > MAX_DATE_LENGTH ? undefined : parseDate(given);
};

const READERS: Readonly<Record<InputKind, Reader>> = {
  int: readNumber,
  float: readNumber,
  price: readNumber,
  bool: (given) => {
    const text = typeof given === 'string' ? given.trim().toLowerCase() : given;
    if (text === 'true' || text === true) return true;
    return text === 'false' || text === false ? false : undefined;
  },
  string: readText,
  text_area: readText,
  symbol: readText,
  session: readText,
  timeframe: readText,
  time: readTime,
  color: (given) => (typeof given === 'string' ? parseColor(given.trim()) : undefined),
  // Null is what the list of inputs shows for a source that is an expression of the script; it may be handed back.
  source: (given, spec) => (given === null && spec.defaultValue === null ? null : readText(given, spec)),
  enum: readMember,
};

/** A title counts before a name, because titles are what people see. */
function readMember(given: unknown, { userEnum, options }: InputSpec): string | undefined {
  const members = userEnum?.members ?? [];
  const byTitle = members.find(({ title }) => title === given && options?.includes(title) !== false);
  return (byTitle ?? members.find(({ name }) => name === given))?.name;
}

/** What was given as the script's own kind of value; undefined where it cannot be read as such. */
function readValue(spec: InputSpec, given: unknown): ConstantValue | undefined {
  try {
    return READERS[spec.kind](given, spec);
  } catch {
    // Dates and colors that are none end in an error of the language, which has its words for scripts, not for callers.
    return undefined;
  }
}

/** The `inputs` of the evaluate contract; each value can be handed back as it stands. */
export function inputsOf(values: readonly InputValue[]): readonly ListedInput[] {
  return values.map(({ spec, value }) => ({
    title: spec.title,
    type: spec.kind,
    default: listedValue(spec, spec.defaultValue),
    value: listedValue(spec, value),
    min: spec.min,
    max: spec.max,
    step: spec.step,
    options: spec.options,
    group: spec.group,
    tooltip: spec.tooltip,
  }));
}

function listedValue({ kind, userEnum }: InputSpec, value: ConstantValue): ConstantValue {
  if (kind === 'color' && typeof value === 'number') return formatColor(value);
  if (kind === 'enum') return userEnum?.members.find(({ name }) => name === value)?.title ?? value;
  return value;
}

/** An input as a form asks for it before any run. */
export interface DeclaredInput extends ListedInput {
  /** Inputs with the same word stand in one line. */
  readonly inline: string;
  readonly confirm: boolean;
}

/** In the order of the script, each with its default as its value; a source is chosen among the series there are. */
export function declaredInputs(specs: readonly InputSpec[]): readonly DeclaredInput[] {
  return inputsOf(inputValues(specs, {})).map((listed, index) => {
    const { inline, confirm, kind } = specs[index]!;
    return { ...listed, ...(kind === 'source' && { options: SOURCES }), inline, confirm };
  });
}

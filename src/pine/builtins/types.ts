// The types of Pine as the checker sees them: a qualifier (when a value is known) and a shape (what it is).

export type PineVersion = 5 | 6;

/** From the earliest known to the latest: a value may be used where a later one is allowed, never the reverse. */
export const QUALIFIERS = ['const', 'input', 'simple', 'series'] as const;
export type Qualifier = (typeof QUALIFIERS)[number];

export const SCALARS = ['int', 'float', 'bool', 'string', 'color'] as const;
export type ScalarName = (typeof SCALARS)[number];

/** Things a script holds by reference; the ones in UNQUALIFIED are always written without a qualifier. */
export const OBJECTS = [
  'line',
  'label',
  'box',
  'table',
  'polyline',
  'linefill',
  'chart.point',
  'hline',
  'plot',
  'footprint',
  'volume_row',
] as const;
export type ObjectName = (typeof OBJECTS)[number];
const UNQUALIFIED: ReadonlySet<string> = new Set(['chart.point', 'hline', 'plot', 'footprint', 'volume_row']);

/** Types whose only values are built-in constants, such as plot.style_line. */
export const OPTIONS = [
  'plot_style',
  'plot_line_style',
  'plot_display',
  'plot_simple_display',
  'hline_style',
  'text_format',
  'scale_type',
  'sort_order',
  'barmerge_gaps',
  'barmerge_lookahead',
  'strategy_direction',
  'backadjustment',
  'settlement',
] as const;
export type OptionName = (typeof OPTIONS)[number];

/** The letters a signature uses for a type that the call decides, and what each may stand for. */
export const TYPE_VARIABLES = {
  T: { accepts: 'any type', kinds: null },
  V: { accepts: 'any type except collections', kinds: null },
  A: { accepts: 'any type except bool', kinds: null },
  K: { accepts: 'int/float/bool/string/color/enum', kinds: ['int', 'float', 'bool', 'string', 'color', 'enum'] },
  N: { accepts: 'int/float', kinds: ['int', 'float'] },
  S: { accepts: 'int/float/string', kinds: ['int', 'float', 'string'] },
  B: { accepts: 'int/float/bool', kinds: ['int', 'float', 'bool'] },
  E: { accepts: 'enum', kinds: ['enum'] },
  U: { accepts: 'user type', kinds: ['user'] },
} as const satisfies Record<string, { accepts: string; kinds: readonly string[] | null }>;
export type TypeVariableName = keyof typeof TYPE_VARIABLES;

export type Shape =
  | { readonly kind: 'scalar'; readonly name: ScalarName }
  | { readonly kind: 'object'; readonly name: ObjectName }
  | { readonly kind: 'option'; readonly name: OptionName }
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'enum'; readonly name: string }
  | { readonly kind: 'array'; readonly element: Shape }
  | { readonly kind: 'matrix'; readonly element: Shape }
  | { readonly kind: 'map'; readonly key: Shape; readonly value: Shape }
  /** A bracketed list of values known at compile time, as the options of an input take it. */
  | { readonly kind: 'choices'; readonly element: Shape }
  | { readonly kind: 'tuple'; readonly items: readonly PineType[] }
  | { readonly kind: 'union'; readonly members: readonly Shape[] }
  | { readonly kind: 'variable'; readonly name: TypeVariableName }
  | { readonly kind: 'na' }
  | { readonly kind: 'void' };

export interface PineType {
  readonly qualifier: Qualifier;
  readonly shape: Shape;
}

export const NA: Shape = { kind: 'na' };
export const VOID: Shape = { kind: 'void' };
const SCALAR_SHAPES = Object.fromEntries(SCALARS.map((name) => [name, { kind: 'scalar', name }])) as Readonly<
  Record<ScalarName, Shape>
>;

export const scalar = (name: ScalarName): Shape => SCALAR_SHAPES[name];
export const arrayOf = (element: Shape): Shape => ({ kind: 'array', element });
export const matrixOf = (element: Shape): Shape => ({ kind: 'matrix', element });
export const mapOf = (key: Shape, value: Shape): Shape => ({ kind: 'map', key, value });
export const tupleOf = (items: readonly PineType[]): Shape => ({ kind: 'tuple', items });
export const typeOf = (qualifier: Qualifier, shape: Shape): PineType => ({ qualifier, shape });

const rankOf = (qualifier: Qualifier) => QUALIFIERS.indexOf(qualifier);

/** Whether a value known as early as `from` may stand where `to` is asked for. */
export const qualifierFits = (from: Qualifier, to: Qualifier): boolean => rankOf(from) <= rankOf(to);

/** The qualifier of a value made of both: the later known of the two. */
export const laterQualifier = (a: Qualifier, b: Qualifier): Qualifier => (rankOf(a) >= rankOf(b) ? a : b);

export function sameShape(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if ('name' in a && 'name' in b) return a.name === b.name;
  if ('element' in a && 'element' in b) return sameShape(a.element, b.element);
  if (a.kind === 'map' && b.kind === 'map') return sameShape(a.key, b.key) && sameShape(a.value, b.value);
  if (a.kind === 'tuple' && b.kind === 'tuple')
    return (
      a.items.length === b.items.length &&
      a.items.every((item, i) => item.qualifier === b.items[i]!.qualifier && sameShape(item.shape, b.items[i]!.shape))
    );
  if (a.kind === 'union' && b.kind === 'union')
    return (
      a.members.length === b.members.length && a.members.every((member) => b.members.some((m) => sameShape(member, m)))
    );
  return true;
}

/** Whether a type variable may stand for the shape; V is what a collection can hold, and it cannot hold another. */
export function variableAccepts(name: TypeVariableName, shape: Shape): boolean {
  if (shape.kind === 'void') return false;
  if (shape.kind === 'variable') return shape.name === name || TYPE_VARIABLES[name].kinds === null;
  if (name === 'V' && ['array', 'matrix', 'map', 'tuple', 'choices'].includes(shape.kind)) return false;
  if (name === 'A' && shape.kind === 'scalar' && shape.name === 'bool') return false;
  const kinds: readonly string[] | null = TYPE_VARIABLES[name].kinds;
  return kinds === null || kinds.includes(shape.kind === 'scalar' ? shape.name : shape.kind);
}

/** Ints are taken as the elements of a collection where floats are asked for; a place for ints takes no floats. */
export const elementFits = (from: Shape, to: Shape): boolean =>
  sameShape(from, to) || (isScalar(from, 'int') && isScalar(to, 'float'));

const isScalar = (shape: Shape, name: ScalarName): boolean => shape.kind === 'scalar' && shape.name === name;
const isNumber = (shape: Shape) => shape.kind === 'scalar' && (shape.name === 'int' || shape.name === 'float');

/** In v6 a bool is never na, and a constant of its own type (plot.style_line) cannot be na either. */
function naFits(to: Shape, version: PineVersion): boolean {
  if (to.kind === 'void' || to.kind === 'tuple' || to.kind === 'choices') return false;
  if (version === 5) return true;
  return to.kind !== 'option' && !(to.kind === 'scalar' && to.name === 'bool');
}

/** Whether a value of one shape may stand where another is asked for; collections must match exactly. */
export function shapeFits(from: Shape, to: Shape, version: PineVersion = 6): boolean {
  if (from.kind === 'union') return from.members.every((member) => shapeFits(member, to, version));
  if (to.kind === 'union') return to.members.some((member) => shapeFits(from, member, version));
  if (from.kind === 'na') return to.kind === 'na' || naFits(to, version);
  if (to.kind === 'variable') return variableAccepts(to.name, from);
  if (to.kind === 'scalar' && isNumber(from)) {
    if (to.name === 'float') return true;
    if (to.name === 'bool') return version === 5;
  }
  if (from.kind === 'option' && to.kind === 'option' && from.name === 'plot_simple_display')
    return to.name === 'plot_simple_display' || to.name === 'plot_display';
  if (from.kind === 'tuple' && to.kind === 'choices')
    return from.items.every((item) => isAssignable(item, typeOf('const', to.element), version));
  if (from.kind === 'tuple' && to.kind === 'tuple')
    return (
      from.items.length === to.items.length && from.items.every((item, i) => isAssignable(item, to.items[i]!, version))
    );
  return sameShape(from, to);
}

/** Whether a value of type `from` may be given where `to` is asked for: int as float, na as nearly everything. */
export function isAssignable(from: PineType, to: PineType, version: PineVersion = 6): boolean {
  return qualifierFits(from.qualifier, to.qualifier) && shapeFits(from.shape, to.shape, version);
}

/** The shape both fit into without a cast from number to bool, or null when there is none. */
export function joinShapes(a: Shape, b: Shape, version: PineVersion = 6): Shape | null {
  if (a.kind === 'tuple' && b.kind === 'tuple') {
    if (a.items.length !== b.items.length) return null;
    const items = a.items.map((item, i) => join(item, b.items[i]!, version));
    return items.includes(null) ? null : tupleOf(items as readonly PineType[]);
  }
  if (a.kind === 'na' || b.kind === 'na') {
    const other = a.kind === 'na' ? b : a;
    return shapeFits(NA, other, version) ? other : null;
  }
  if (shapeFits(a, b)) return b;
  return shapeFits(b, a) ? a : null;
}

/** The type of `condition ? a : b`, or null when the two have nothing in common. */
export function join(a: PineType, b: PineType, version: PineVersion = 6): PineType | null {
  const shape = joinShapes(a.shape, b.shape, version);
  return shape === null ? null : typeOf(laterQualifier(a.qualifier, b.qualifier), shape);
}

/** A shape as Pine's own documentation writes it. */
export function shapeText(shape: Shape): string {
  switch (shape.kind) {
    case 'array':
    case 'matrix':
      return `${shape.kind}<${shapeText(shape.element)}>`;
    case 'map':
      return `map<${shapeText(shape.key)}, ${shapeText(shape.value)}>`;
    case 'choices':
      return `[${shapeText(shape.element)}, …]`;
    case 'tuple':
      return `[${shape.items.map(typeText).join(', ')}]`;
    case 'union':
      return shape.members.map(shapeText).join('/');
    case 'variable':
      return TYPE_VARIABLES[shape.name].accepts;
    case 'na':
    case 'void':
      return shape.kind;
    default:
      return shape.name;
  }
}

/** A type in words: `series float`, `array<int>`, `[series float, series int]`. */
export function typeText({ qualifier, shape }: PineType): string {
  const bare =
    ['array', 'matrix', 'map', 'tuple', 'user', 'na', 'void'].includes(shape.kind) ||
    (shape.kind === 'object' && UNQUALIFIED.has(shape.name));
  return bare ? shapeText(shape) : `${qualifier} ${shapeText(shape)}`;
}

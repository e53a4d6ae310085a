// Shapes as the checker uses them beyond the table of built-ins: the type of a mistake, keys, and the value of na.

import {
  join,
  laterQualifier,
  NA,
  type PineType,
  type PineVersion,
  type Qualifier,
  type Shape,
  scalar,
  shapeFits,
  shapeText,
  typeOf,
  typeText,
  VOID,
} from '../builtins/types.ts';
import type { Span } from '../syntax/index.ts';
import type { ConstantExpr, ConstantValue, TupleExpr } from './tree.ts';

/** The shape of something that was already reported: a choice among nothing, which fits everywhere. */
export const UNKNOWN: Shape = { kind: 'union', members: [] };
export const UNKNOWN_TYPE: PineType = typeOf('const', UNKNOWN);
/** Of a block that ends in a jump: nobody ever sees its value, so it agrees with any other. */
export const JUMP_TYPE: PineType = typeOf('const', NA);
export const VOID_TYPE: PineType = typeOf('series', VOID);

export const isUnknown = (shape: Shape): boolean => shape.kind === 'union' && shape.members.length === 0;

/** Whether a collection, or anything in it, is of a type that was already reported. */
export function holdsUnknown(shape: Shape): boolean {
  switch (shape.kind) {
    case 'union':
      return shape.members.length === 0;
    case 'array':
    case 'matrix':
    case 'choices':
      return holdsUnknown(shape.element);
    case 'map':
      return holdsUnknown(shape.key) || holdsUnknown(shape.value);
    default:
      return false;
  }
}

export const unknownExpr = (span: Span): ConstantExpr => ({ kind: 'constant', value: null, type: UNKNOWN_TYPE, span });

export const isInt = (shape: Shape): boolean => shape.kind === 'scalar' && shape.name === 'int';
export const isNumber = (shape: Shape): boolean =>
  shape.kind === 'scalar' && (shape.name === 'int' || shape.name === 'float');
export const isBool = (shape: Shape): boolean => shape.kind === 'scalar' && shape.name === 'bool';
export const isString = (shape: Shape): boolean => shape.kind === 'scalar' && shape.name === 'string';

/**
 * The quotient of two ints, and what is made of it with other ints: a float in all that it holds, but Pine takes it for
 * an int where one is asked for. A variable or parameter of type int keeps its fraction; what needs a whole number, such
 * as an index, cuts it. A shape like `float`, told apart by identity.
 */
export const QUOTIENT: Shape = { kind: 'scalar', name: 'float' };

/**
 * An int that may have a fraction, such as the mean of an array of ints. It is an int wherever it goes, and cut where a
 * built-in needs a whole number. A shape like `int`, told apart by identity.
 */
export const UNEVEN: Shape = { kind: 'scalar', name: 'int' };

/** What a variable or parameter of the asked shape holds when it is given one of the other. */
export const heldShape = (asked: Shape, given: Shape): Shape =>
  isInt(asked) && (given === QUOTIENT || given === UNEVEN) ? given : asked;

/** na as held at run time: NaN for numbers, false for a v6 bool, null for the rest. */
export function naOf(shape: Shape, version: PineVersion): ConstantValue {
  if (isNumber(shape)) return Number.NaN;
  return version === 6 && isBool(shape) ? false : null;
}

/** na of the shape; of a tuple, na for each of its values. */
export function naExpr(shape: Shape, version: PineVersion, span: Span): ConstantExpr | TupleExpr {
  const type = typeOf('const', shape);
  if (shape.kind !== 'tuple') return { kind: 'constant', value: naOf(shape, version), type, span };
  return { kind: 'tuple', elements: shape.items.map((item) => naExpr(item.shape, version, span)), type, span };
}

/** `join` that lets what was already reported pass. */
export function joinTypes(a: PineType, b: PineType, version: PineVersion): PineType | null {
  const qualifier = laterQualifier(a.qualifier, b.qualifier);
  if (isUnknown(a.shape)) return typeOf(qualifier, b.shape);
  if (isUnknown(b.shape)) return typeOf(qualifier, a.shape);
  const joined = join(a, b, version);
  if (joined === null || !isNumber(joined.shape) || isInt(joined.shape)) return joined;
  return typeOf(qualifier, isWholeOrQuotient(a.shape) && isWholeOrQuotient(b.shape) ? QUOTIENT : scalar('float'));
}

export const fits = (from: Shape, to: Shape, version: PineVersion): boolean =>
  isUnknown(from) || isUnknown(to) || (from === QUOTIENT && isInt(to)) || shapeFits(from, to, version);

const isWholeOrQuotient = (shape: Shape): boolean => shape === QUOTIENT || isInt(shape) || shape.kind === 'na';

/** The type with a qualifier at least as late as the given one. */
export const notBefore = (qualifier: Qualifier, type: PineType): PineType =>
  type.qualifier === laterQualifier(type.qualifier, qualifier) ? type : typeOf(qualifier, type.shape);

/** Equal for the same shape, also across scripts and libraries. */
export function shapeKey(shape: Shape): string {
  switch (shape.kind) {
    case 'array':
    case 'matrix':
    case 'choices':
      return `${shape.kind}<${shapeKey(shape.element)}>`;
    case 'map':
      return `map<${shapeKey(shape.key)},${shapeKey(shape.value)}>`;
    case 'tuple':
      return `[${shape.items.map(typeKey).join(',')}]`;
    case 'union':
      return `(${shape.members.map(shapeKey).join('|')})`;
    case 'na':
    case 'void':
      return shape.kind;
    default:
      return shape === QUOTIENT ? 'quotient' : shape === UNEVEN ? 'uneven' : `${shape.kind}:${shape.name}`;
  }
}

export const typeKey = ({ qualifier, shape }: PineType): string => `${qualifier} ${shapeKey(shape)}`;

/** What na becomes where nothing says what it should be. */
export const NA_ALONE: Shape = scalar('float');

/** A text with the types of libraries under their own names: `me/Tools/1.Level` is read as `Level`. */
export const withPlainNames = (text: string): string => text.replace(/\w+\/\w+\/\d+\./g, '');

/** A type in words. */
export const describe = (type: PineType): string => withPlainNames(typeText(type));

/** The same with the qualifier in any case, where that is what is wrong: collections are else written without. */
export const withQualifier = ({ qualifier, shape }: PineType): string =>
  `${qualifier} ${withPlainNames(shapeText(shape))}`;

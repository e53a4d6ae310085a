// What generated code calls by name besides the functions of one run.

import { isNaDrawing } from '../drawings/index.ts';
import { AlertSite } from '../run/alerts.ts';
import { TimeframeChange } from '../run/bar-facts.ts';
import { barBack, CollectionRing, ItemRing, NumberRing, settleAll } from '../run/history.ts';
import { LowerTimeframeSite, SecuritySite } from '../run/request/sites.ts';
import { transfer } from '../run/request/transfer.ts';
import { TA_KERNELS, ValueWhen } from '../ta/index.ts';
import { arrayId } from '../values/arrays/functions.ts';
import {
  concatenate,
  defineEnum,
  differentItem,
  differentText,
  eq,
  fieldOfNa,
  ge,
  gt,
  intDivide,
  keepThroughTicks,
  le,
  lt,
  ne,
  PineArray,
  PineObject,
  PineRuntimeError,
  pastOf,
  sameItem,
  sameText,
  TOLERANCE,
  VALUE_STATES,
} from '../values/index.ts';
import { mapId } from '../values/maps.ts';
import { matrixId } from '../values/matrices/matrix.ts';

/** A number where v5 takes it for a bool: what differs from zero by a hair does not hold, and na neither. */
const toBool = (value: number): boolean => Math.abs(value) > TOLERANCE;

/** `and` and `or` of v5: both sides were looked at. */
const bothOf = (a: boolean | null, b: boolean | null): boolean => a === true && b === true;
const eitherOf = (a: boolean | null, b: boolean | null): boolean => a === true || b === true;

const boolNumber = (value: boolean | null): number => (value === null ? Number.NaN : value ? 1 : 0);
const colorNumber = (value: number | null): number => value ?? Number.NaN;

/** The width of a loop's step; the direction comes from the ends. With a step of na the loop ends after one turn. */
function loopStep(step: number): number {
  if (step <= 0) throw new PineRuntimeError(`The step of a 'for' loop is ${step}; it must be above zero.`);
  return step;
}

/** The guard of one field: an object that is there goes through. */
const needs =
  (type: string, field: string) =>
  <T>(object: T | null): T => {
    if (object === null) throw fieldOfNa(type, field);
    return object;
  };

function copyOf(object: PineObject | null): PineObject | null {
  return object === null ? null : object.copy();
}

/** What a varip variable holds, and the objects in an array it holds, go on through ticks. */
function keepAll(value: { born: number } | null): void {
  if (value === null) return;
  keepThroughTicks(value);
  if (!(value instanceof PineArray)) return;
  for (const item of value.toList()) if (item instanceof PineObject) keepThroughTicks(item);
}

export const LIBRARY = Object.freeze({
  AlertSite,
  arrayId,
  barBack,
  boolNumber,
  bothOf,
  colorNumber,
  CollectionRing,
  concatenate,
  copyOf,
  defineEnum,
  differentItem,
  differentText,
  eitherOf,
  eq,
  ge,
  gt,
  intDivide,
  isNaDrawing,
  ItemRing,
  keepAll,
  le,
  loopStep,
  LowerTimeframeSite,
  lt,
  mapId,
  matrixId,
  ne,
  needs,
  NumberRing,
  PineObject,
  pastOf,
  sameItem,
  sameText,
  SecuritySite,
  settleAll,
  TA_KERNELS,
  TimeframeChange,
  toBool,
  transfer,
  VALUE_STATES,
  ValueWhen,
});

export type LibraryName = keyof typeof LIBRARY;

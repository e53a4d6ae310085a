// The fields of built-in objects, which scripts read and set with a dot as those of their own types.

import { type PineType, scalar, typeOf } from './types.ts';

const FIELDS: Readonly<Record<string, Readonly<Record<string, PineType>>>> = {
  'chart.point': {
    time: typeOf('series', scalar('int')),
    index: typeOf('series', scalar('int')),
    price: typeOf('series', scalar('float')),
  },
};

/** Names and types of the fields of a built-in object type, in the order of its constructor; none for most. */
export const fieldsOf = (object: string): ReadonlyMap<string, PineType> =>
  new Map(Object.entries(FIELDS[object] ?? {}));

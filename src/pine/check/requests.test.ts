// Requests inside of blocks: with dynamic requests anywhere, without them outside of `if`, `switch` and loops.

import { expect, it } from 'vitest';
import { checkText, placesOf } from './testing/checked.ts';

const CALL = 'request.security("A", "D", close)';
const V5 = { version: 5 } as const;

/** The snippet in a v6 script that turns dynamic requests off. */
const codesWithout = (snippet: string): string[] =>
  checkText(`//@version=6\nindicator("T", dynamic_requests = false)\n${snippet}`).diagnostics.map(({ code }) => code);

it('in v6 stand anywhere', () => {
  expect(placesOf(`if close > open\n    x = ${CALL}\nfor i = 0 to 1\n    y = ${CALL}`)).toEqual([]);
  expect(placesOf(`f() => ${CALL}\nif close > open\n    x = f()`)).toEqual([]);
});

it('in v5 stand outside of blocks, in a function called from anywhere', () => {
  expect(placesOf(`if close > open\n    x = ${CALL}`, V5)).toEqual(['PE120 2:9']);
  expect(placesOf(`f() =>\n    if close > open\n        ${CALL}\nx = f()`, V5)).toEqual(['PE120 3:9']);
  expect(placesOf(`f() => ${CALL}\nif close > open\n    x = f()\ny = f()\nz = ${CALL}`, V5)).toEqual([]);
});

it('without dynamic requests stand outside of blocks in v6 as well, and so do functions that make them', () => {
  expect(codesWithout(`if close > open\n    x = ${CALL}`)).toEqual(['PE120']);
  expect(codesWithout(`f() => ${CALL}\ng() => f()\nif close > open\n    x = g()`)).toEqual(['PE120']);
  expect(codesWithout(`f() => ${CALL}\nx = f()\ny = ${CALL}`)).toEqual([]);
});

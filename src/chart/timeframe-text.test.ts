// Tests of timeframes in the words of people.

import { expect, it } from 'vitest';
import { timeframeText } from './timeframe-text.ts';

it.each([
  ['1', '1m'],
  ['15', '15m'],
  ['60', '1h'],
  ['90', '90m'],
  ['240', '4h'],
  ['D', '1D'],
  ['1D', '1D'],
  ['3D', '3D'],
  ['W', '1W'],
  ['12M', '12M'],
  ['30S', '30s'],
  ['S', '1s'],
  ['100T', '100T'],
  ['', ''],
  ['odd', 'odd'],
])('%s is %s', (timeframe, text) => expect(timeframeText(timeframe)).toBe(text));

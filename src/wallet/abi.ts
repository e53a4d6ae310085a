// Reads the arguments of an encoded contract call, given the function's signature: just what rules need to look inside.

import type { Hex } from './chain.ts';
import { keccak256 } from './keccak.ts';

/** A number of one word, bytes as hex, or what a list or a tuple holds. */
export type AbiValue = bigint | Hex | readonly AbiValue[];

type AbiType = 'word' | 'bytes' | { readonly list: AbiType } | { readonly tuple: readonly AbiType[] };

export interface AbiFunction {
  readonly selector: Hex;
  /** Throws on data that is cut short: the contract would not take it either. */
  decode(data: Hex): readonly AbiValue[];
}

const WORD_CHARS = 64;
export const SELECTOR_CHARS = 10;

export function abiFunction(signature: string): AbiFunction {
  const hash = keccak256(Buffer.from(signature, 'ascii'));
  const types = typesIn(signature.slice(signature.indexOf('(')));
  return {
    selector: `0x${Buffer.from(hash.subarray(0, 4)).toString('hex')}`,
    decode: (data) => readTuple(types, data.slice(SELECTOR_CHARS), 0),
  };
}

/** Of `(address,(bytes,uint256)[],bytes)`: the types between the outer brackets. */
function typesIn(text: string): readonly AbiType[] {
  const types: AbiType[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 1; at < text.length; at += 1) {
    const isEnd = depth === 0 && (text[at] === ',' || text[at] === ')');
    if (isEnd && at > from) types.push(typeOf(text.slice(from, at)));
    if (isEnd) from = at + 1;
    else if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
  }
  return types;
}

function typeOf(text: string): AbiType {
  if (text.endsWith('[]')) return { list: typeOf(text.slice(0, -2)) };
  if (text.startsWith('(')) return { tuple: typesIn(text) };
  return text === 'bytes' || text === 'string' ? 'bytes' : 'word';
}

const isDynamic = (type: AbiType): boolean =>
  type === 'bytes' || (typeof type === 'object' && ('list' in type || type.tuple.some(isDynamic)));

const wordsOf = (type: AbiType): number =>
  typeof type === 'object' && 'tuple' in type && !isDynamic(type)
    ? type.tuple.reduce((sum, inner) => sum + wordsOf(inner), 0)
    : 1;

function readWord(hex: string, at: number): bigint {
  const digits = hex.slice(at, at + WORD_CHARS);
  if (digits.length < WORD_CHARS) throw new Error('the data is cut short');
  return BigInt(`0x${digits}`);
}

/** Places and lengths inside the data; one beyond its end is no call. */
function readPlace(hex: string, at: number): number {
  const value = readWord(hex, at);
  if (value > BigInt(hex.length)) throw new Error('the data points beyond its end');
  return Number(value);
}

function readTuple(types: readonly AbiType[], hex: string, start: number): readonly AbiValue[] {
  let at = start;
  return types.map((type) => {
    const place = isDynamic(type) ? start + 2 * readPlace(hex, at) : at;
    at += WORD_CHARS * wordsOf(type);
    return readValue(type, hex, place);
  });
}

function readValue(type: AbiType, hex: string, at: number): AbiValue {
  if (type === 'word') return readWord(hex, at);
  if (typeof type === 'object' && 'tuple' in type) return readTuple(type.tuple, hex, at);
  const length = readPlace(hex, at);
  const start = at + WORD_CHARS;
  if (type === 'bytes') {
    if (start + 2 * length > hex.length) throw new Error('the data is cut short');
    return `0x${hex.slice(start, start + 2 * length)}`;
  }
  // Each takes a word at least: no list is longer than what is there.
  if (start + length * WORD_CHARS > hex.length) throw new Error('the data is cut short');
  return readTuple(new Array<AbiType>(length).fill(type.list), hex, start);
}

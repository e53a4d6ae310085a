// Reads the files a script command names; what cannot be read is told with the path and the remedy.

import { readFileSync, statSync } from 'node:fs';
import type { LibrarySource, SymbolInfo } from '../pine/index.ts';
import { UsageFault } from './command.ts';
import { fieldsOf, printable } from './table.ts';

const MEBIBYTE = 1024 * 1024;
/** A hundred times what a script may have; whoever names a film by mistake should not wait for it. */
const MAX_SCRIPT_BYTES = 16 * MEBIBYTE;
/** Ten million bars with all their digits. */
const MAX_BARS_BYTES = 1024 * MEBIBYTE;

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; check the path',
  EISDIR: 'this is a folder; name a file in it',
  ENOTDIR: 'a part of the path is no folder; check the path',
  EACCES: 'it may not be read; check its permissions',
  EPERM: 'it may not be read; check its permissions',
};

/** Why a file cannot be used, in words. */
export const fileFault = (path: string, reason: string): Error => new Error(`${printable(path)}: ${reason}`);

/** The fault of the operating system as one with a remedy. */
export function fileError(path: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return fileFault(path, REMEDIES[code] ?? message);
}

function readBytes(path: string, maxBytes: number): Buffer {
  try {
    const { size } = statSync(path);
    if (size > maxBytes)
      throw fileFault(
        path,
        `it has ${Math.ceil(size / MEBIBYTE)} MiB, the limit is ${maxBytes / MEBIBYTE}; is it the right file?`,
      );
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw fileError(path, error);
    throw error;
  }
}

export const readBarsFile = (path: string): Buffer => readBytes(path, MAX_BARS_BYTES);

export function readScript(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readBytes(path, MAX_SCRIPT_BYTES));
  } catch (error) {
    if (error instanceof TypeError) throw fileFault(path, 'it is not UTF-8 text; save it as UTF-8');
    throw error;
  }
}

const LIBRARY = /^([^/=\s]+)\/([^/=\s]+)\/(\d{1,9})=(.+)$/;

/** `ns/Name/1=file.pine` with what is in the file. */
export function readLibrary(text: string): LibrarySource {
  const match = LIBRARY.exec(text);
  if (match === null)
    throw new UsageFault(`--library ${text} cannot be read; write it as in the script's import: ns/Name/1=file.pine.`);
  const [, namespace = '', name = '', version, path = ''] = match;
  return { namespace, name, version: Number(version), source: readScript(path) };
}

/** The market from a JSON file: its fields, alone or inside "symbol" or "symbol_info". Their values are the engine's to check. */
export function readSymbolInfo(path: string): SymbolInfo {
  const fields = fieldsOf(parseJson(path));
  const symbol = fields.symbol_info ?? fields.symbol ?? fields;
  const found = fieldsOf(symbol);
  if (Object.keys(found).length === 0)
    throw fileFault(path, 'it holds no description of a market; write it like {"ticker": "BTCUSDT", "mintick": 0.1}');
  return found;
}

function parseJson(path: string): unknown {
  const text = readScript(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fileFault(path, `it is not JSON (${error instanceof Error ? error.message : error})`);
  }
}

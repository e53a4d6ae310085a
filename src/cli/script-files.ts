// Reads the files a script command names; what cannot be read is told with the path and the remedy.

import { readFileSync, statSync } from 'node:fs';
import { errorText } from '../errors/error-text.ts';
import type { LibrarySource, SymbolInfo } from '../pine/index.ts';
import { MAX_SYMBOL_BARS, timeframeFault } from '../pine/light.ts';
import { UsageFault } from './command.ts';
import type { ScriptHost } from './host.ts';
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

/** In place of a path. */
export const INPUT = '-';

/** What a file is called in what is printed. */
export const fileName = (path: string): string => (path === INPUT ? 'stdin' : printable(path));

/** Why a file cannot be used, in words. */
export const fileFault = (path: string, reason: string): Error => new Error(`${fileName(path)}: ${reason}`);

const WRITE_REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist; make it first',
  EISDIR: 'this is a folder; name a file in it',
  ENOTDIR: 'a part of the path is no folder; check the path',
  EACCES: 'it may not be written; check its permissions and those of its folder',
  EPERM: 'it may not be written; check its permissions and those of its folder',
  ENOSPC: 'the disk is full; make room',
};

/** Why a file cannot be written, in words. */
export function writeFault(path: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return fileFault(path, WRITE_REMEDIES[code] ?? message);
}

/** The fault of the operating system as one with a remedy. */
function fileError(path: string, error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return fileFault(path, REMEDIES[code] ?? message);
}

/** The files of one command line. `-` stands for standard input, which can be read once. */
export class CommandFiles {
  readonly #readInput: ScriptHost['readInput'];
  #isInputTaken = false;

  constructor({ readInput }: Pick<ScriptHost, 'readInput'>) {
    this.#readInput = readInput;
  }

  bars(path: string): Promise<Uint8Array> {
    return this.#bytes(path, MAX_BARS_BYTES);
  }

  async script(path: string): Promise<string> {
    const bytes = await this.#bytes(path, MAX_SCRIPT_BYTES);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw fileFault(path, 'it is not UTF-8 text; save it as UTF-8');
    }
  }

  async libraries(wanted: readonly LibraryFile[]): Promise<LibrarySource[]> {
    const found: LibrarySource[] = [];
    for (const { path, ...library } of wanted) found.push({ ...library, source: await this.script(path) });
    return found;
  }

  /** The market from a JSON file: its fields, alone or inside "symbol" or "symbol_info". Their values are the engine's to check. */
  async symbolInfo(path: string): Promise<SymbolInfo> {
    const fields = fieldsOf(parseJson(path, await this.script(path)));
    const found = fieldsOf(fields.symbol_info ?? fields.symbol ?? fields);
    if (Object.keys(found).length === 0)
      throw fileFault(path, 'it holds no description of a market; write it like {"ticker": "BTCUSDT", "mintick": 0.1}');
    return found;
  }

  async #bytes(path: string, maxBytes: number): Promise<Uint8Array> {
    if (path !== INPUT) return readBytes(path, maxBytes);
    if (this.#isInputTaken) throw new UsageFault('- is given twice; standard input can be read once.');
    this.#isInputTaken = true;
    return this.#readInput(maxBytes);
  }
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

const LIBRARY = /^([^/=\s]+)\/([^/=\s]+)\/(\d{1,9})=(.+)$/;

export interface LibraryFile extends Omit<LibrarySource, 'source'> {
  readonly path: string;
}

/** Each is written as `ns/Name/1=file.pine`. */
export function libraryFiles(texts: readonly string[]): LibraryFile[] {
  const found = new Map<string, LibraryFile>();
  for (const text of texts) {
    const library = libraryFile(text);
    const key = `${library.namespace}/${library.name}/${library.version}`;
    if (found.has(key)) throw new UsageFault(`--library ${key} is given twice; give it once.`);
    found.set(key, library);
  }
  return [...found.values()];
}

function libraryFile(text: string): LibraryFile {
  const match = LIBRARY.exec(text);
  if (match === null)
    throw new UsageFault(`--library ${text} cannot be read; write it as in the script's import: ns/Name/1=file.pine.`);
  const [, namespace = '', name = '', version, path = ''] = match;
  return { namespace, name, version: Number(version), path };
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fileFault(path, `it is not JSON (${errorText(error)})`);
  }
}

/** Bars of another symbol or timeframe, in a file of their own. */
export interface SymbolBarsFile {
  readonly symbol: string;
  readonly timeframe: string;
  readonly path: string;
}

const SYMBOL_BARS = /^([^=]*):(\d{0,4}[A-Za-z]?)=(.+)$/;

/** Of all that `--bars` says, what is written as `ETHUSDT:60=file.csv`; and the rest, which is the chart's. */
export function symbolBarsFiles(texts: readonly string[]): { chart: readonly string[]; others: SymbolBarsFile[] } {
  const found = new Map<string, SymbolBarsFile>();
  const chart = texts.filter((text) => !SYMBOL_BARS.test(text));
  for (const text of texts) {
    const match = SYMBOL_BARS.exec(text);
    if (match === null) continue;
    const [, symbol = '', timeframe = '', path = ''] = match;
    const key = `${symbol}:${timeframe}`;
    const fault = timeframe === '' ? 'The timeframe is missing.' : timeframeFault(timeframe);
    if (fault !== undefined) throw new UsageFault(`--bars ${text}: ${fault} Write it like ETHUSDT:60=file.csv.`);
    if (found.has(key)) throw new UsageFault(`--bars ${key} is given twice; give it once.`);
    found.set(key, { symbol, timeframe, path });
  }
  if (found.size > MAX_SYMBOL_BARS)
    throw new UsageFault(`--bars names ${found.size} other symbols and timeframes; ${MAX_SYMBOL_BARS} are allowed.`);
  return { chart, others: [...found.values()] };
}

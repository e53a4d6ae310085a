// Imports: the source of a library is found, read and checked once, in its own version, however often it is imported.

import { builtInLibrary } from '../libraries/index.ts';
import { MAX_IMPORTED_CHARS, MAX_IMPORTED_LIBRARIES } from '../syntax/imports.ts';
import { hasErrors, LineTable, parse, type Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { checkModule, newModule } from './modules.ts';
import type { Module } from './scopes.ts';

/** A library that scripts may import as `namespace/name/version`. */
export interface LibrarySource {
  /** The publisher, before the first slash of an import. */
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  /** Null: there is such a library, but its source was not handed in. */
  readonly source: string | null;
}

const KIBI = 1024;
/** More would push the message out of sight. */
const MAX_SHOWN_VERSIONS = 10;
const LIMITS = `A script imports at most ${MAX_IMPORTED_LIBRARIES} libraries and ${MAX_IMPORTED_CHARS / KIBI} Ki characters of their sources, imports of imports included.`;

/** The libraries at hand, each loaded when first imported. */
export class LibraryShelf {
  readonly #sources: ReadonlyMap<string, string | null>;
  readonly #loaded = new Map<string, Module | null>();
  /** Being read right now, the outermost first. */
  readonly #open: string[] = [];
  #chars = 0;

  constructor(libraries: readonly LibrarySource[]) {
    this.#sources = new Map(
      libraries.map(({ namespace, name, version, source }) => [`${namespace}/${name}/${version}`, source]),
    );
  }

  /** The library, or null when it cannot be had, which is reported at the import. */
  load(c: Checker, key: string, at: Span): Module | null {
    if (this.#open.includes(key)) {
      const circle = [...this.#open.slice(this.#open.indexOf(key)), key].join(' → ');
      c.report('circularImport', `The libraries import each other in a circle: ${circle}.`, at);
      return null;
    }
    const handedIn = this.#sources.get(key);
    const source = handedIn === undefined ? builtInLibrary(key) : handedIn;
    if (source === undefined) {
      c.report('missingLibrary', `There is no library ${key}.`, at, this.#remedyFor(key));
      return null;
    }
    const known = this.#loaded.get(key);
    if (source === null || (known === undefined && !this.#hasRoomFor(source))) {
      c.report(
        'tooManyLibraries',
        `The library ${key} is one too many. ${LIMITS}`,
        at,
        'Import fewer, or smaller ones.',
      );
      return null;
    }
    const module = known === undefined ? this.#read(c, key, source) : known;
    this.#loaded.set(key, module);
    if (module === null || hasErrors(module.findings.sorted())) reportFaulty(c, key, source, module, at);
    return module;
  }

  /** The versions there are, the newest first; without any, how to hand one in. */
  #remedyFor(key: string): string {
    const name = key.slice(0, key.lastIndexOf('/') + 1);
    const versions = [...this.#sources.keys()]
      .filter((one) => one.startsWith(name))
      .map((one) => Number(one.slice(name.length)))
      .sort((a, b) => b - a);
    if (versions.length === 0)
      return `Publish it among your scripts, or hand its source in; on the command line with --library ${key}=file.pine or --libraries FOLDER.`;
    const shown = versions.slice(0, MAX_SHOWN_VERSIONS).map((version) => `${name}${version}`);
    return `There is ${shown.join(', ')}${versions.length > shown.length ? ', …' : ''}.`;
  }

  /** Every library counts once, however often it is imported. */
  #hasRoomFor(source: string): boolean {
    this.#chars += source.length;
    return this.#loaded.size + this.#open.length < MAX_IMPORTED_LIBRARIES && this.#chars <= MAX_IMPORTED_CHARS;
  }

  #read(c: Checker, key: string, source: string): Module | null {
    const { script, version, diagnostics } = parse(source);
    if (hasErrors(diagnostics)) return null;
    const module = newModule(script, version, key);
    module.isBuiltIn = !this.#sources.has(key);
    this.#open.push(key);
    c.at(
      {
        module,
        scope: module.globals,
        order: 0,
        functionName: null,
        local: false,
        dry: true,
        steady: true,
        lazy: 'no',
      },
      () => {
        if (module.isLibrary) checkModule(c);
        else c.report('badLibrary', 'It is not declared with library().', { start: 0, end: 0 }, 'Declare it so.');
      },
    );
    this.#open.pop();
    return module;
  }
}

function reportFaulty(c: Checker, key: string, source: string, module: Module | null, at: Span): void {
  const found = module === null ? parse(source).diagnostics : module.findings.sorted();
  const first = found.find(({ severity }) => severity === 'error');
  if (first === undefined) return;
  const { line, column } = new LineTable(source).positionAt(first.span.start);
  const message = `The library ${key} has a mistake in line ${line}, column ${column}: ${first.message}`;
  c.report('badLibrary', message, at, 'Repair the library first.');
}

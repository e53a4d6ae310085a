// Imports: the source of a library is found, read and checked once, in its own version, however often it is imported.

import { hasErrors, LineTable, parse, type Span } from '../syntax/index.ts';
import type { Checker } from './checker.ts';
import { checkModule, newModule } from './modules.ts';
import type { Module } from './scopes.ts';

export interface LibrarySource {
  /** The publisher, before the first slash of an import. */
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly source: string;
}

/** The libraries at hand, each loaded when first imported. */
export class LibraryShelf {
  readonly #sources: ReadonlyMap<string, string>;
  readonly #loaded = new Map<string, Module | null>();
  /** Being read right now, the outermost first. */
  readonly #open: string[] = [];

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
    const source = this.#sources.get(key);
    if (source === undefined) {
      const others = [...this.#sources.keys()].filter((one) => one.startsWith(key.slice(0, key.lastIndexOf('/') + 1)));
      const remedy =
        others.length > 0
          ? `There is ${others.join(', ')}.`
          : `Hand its source in with the script; on the command line with --library ${key}=file.pine.`;
      c.report('missingLibrary', `There is no library ${key}.`, at, remedy);
      return null;
    }
    const known = this.#loaded.get(key);
    const module = known === undefined ? this.#read(c, key, source) : known;
    this.#loaded.set(key, module);
    if (module === null || hasErrors(module.findings.sorted())) reportFaulty(c, key, source, module, at);
    return module;
  }

  #read(c: Checker, key: string, source: string): Module | null {
    const { script, version, diagnostics } = parse(source);
    if (hasErrors(diagnostics)) return null;
    const module = newModule(script, version, key);
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

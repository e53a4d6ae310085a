// Compiled scripts that a thread keeps, so that the same source is compiled once; the one not used longest goes first.

import type { LibrarySource } from '../../pine/index.ts';
import { sha256 } from './digest.ts';

export interface CacheLimits {
  readonly maxPrograms: number;
  /** Characters of all their sources together: what a program takes grows with its source. */
  readonly maxChars: number;
}

const DEFAULT_LIMITS: CacheLimits = { maxPrograms: 64, maxChars: 2_000_000 };

export interface Sources {
  readonly source: string;
  readonly libraries?: readonly LibrarySource[];
}

export class ProgramCache<T> {
  readonly #limits: CacheLimits;
  readonly #compile: (sources: Sources) => T;
  /** In the order of use, the last one last. */
  readonly #kept = new Map<string, { readonly program: T; readonly chars: number }>();
  #chars = 0;

  constructor(compile: (sources: Sources) => T, limits: CacheLimits = DEFAULT_LIMITS) {
    this.#compile = compile;
    this.#limits = limits;
  }

  programOf(sources: Sources): T {
    const key = keyOf(sources);
    const found = this.#kept.get(key);
    if (found !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, found);
      return found.program;
    }
    const program = this.#compile(sources);
    this.#keep(key, program, charsOf(sources));
    return program;
  }

  #keep(key: string, program: T, chars: number): void {
    if (chars > this.#limits.maxChars) return;
    this.#kept.set(key, { program, chars });
    this.#chars += chars;
    for (const [oldest, { chars: freed }] of this.#kept) {
      if (this.#kept.size <= this.#limits.maxPrograms && this.#chars <= this.#limits.maxChars) return;
      this.#kept.delete(oldest);
      this.#chars -= freed;
    }
  }
}

/** No script can have it: a NUL is refused wherever texts come in. */
const NOT_HANDED_IN = '\0';

function keyOf({ source, libraries = [] }: Sources): string {
  const hash = sha256();
  const parts = [
    source,
    ...libraries.flatMap((one) => [one.namespace, one.name, String(one.version), one.source ?? NOT_HANDED_IN]),
  ];
  // The lengths keep two neighbours from sharing a border.
  for (const part of parts) hash.update(`${part.length}:`).update(part, 'utf16le');
  return hash.digest('base64');
}

function charsOf({ source, libraries = [] }: Sources): number {
  return libraries.reduce((sum, library) => sum + (library.source?.length ?? 0), source.length);
}

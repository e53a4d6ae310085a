// A user's published libraries: publishes a script of the user's as a version that never changes, and finds what scripts import.

import { createHash } from 'node:crypto';
import type { LibrarySource } from '../pine/index.ts';
import { importsOf, type LibraryName, libraryKey } from '../pine/light.ts';
import { importedSources } from './imported-sources.ts';
import {
  isPublisher,
  isVersion,
  MAX_PUBLICATIONS_PER_USER,
  MAX_PUBLISHER_CHARS,
  MAX_VERSION,
  OWN_PUBLISHER,
  type Publication,
  type PublicationSummary,
} from './publication.ts';
import type { InUse, PublicationStore, Published, Taken } from './publication-store.ts';
import type { ScriptChecker } from './request-runner.ts';
import { isContentTooLarge, MAX_STORED_BYTES_PER_USER, textFaults } from './script.ts';
import type { Refused, Stopped } from './script-runner.ts';
import type { Full, ScriptStore } from './script-store.ts';
import { assertUser, type Found, type Missing, TOO_LARGE, type TooLarge, type TooMany } from './scripts.ts';

/** A script of the user's, or code as it is. */
export type PublishedCode =
  | { readonly content: string }
  /** Without a revision the current one. */
  | { readonly scriptId: string; readonly revision?: number | undefined };

export interface WantedPublication {
  readonly code: PublishedCode;
  /** The first word of the import; `me` when left out. */
  readonly publisher?: string | undefined;
  /** What it must call itself, if that is known. */
  readonly name?: string | undefined;
  /** The number of the version; the next free one when left out. */
  readonly version?: number | undefined;
}

/** It cannot be published as it is; the reason names the remedy. */
export interface Unpublishable {
  readonly kind: 'unpublishable';
  readonly reason: string;
}

/** The compiler does not take it, or could not look at it. */
export interface NotCompiled {
  readonly kind: 'not-compiled';
  readonly outcome: Extract<Refused, { kind: 'compile-failed' }> | Stopped;
}

export interface Publications {
  publish(
    userId: string,
    wanted: WantedPublication,
  ): Promise<Published | Taken | Missing | Unpublishable | TooLarge | NotCompiled | TooMany>;
  /** The one published last first. */
  list(userId: string): Promise<readonly PublicationSummary[]>;
  /** The highest first. */
  versions(userId: string, namespace: string, name: string): Promise<Found<readonly PublicationSummary[]> | Missing>;
  read(userId: string, library: LibraryName): Promise<Found<Publication> | Missing>;
  /** Gives its place free; nobody else gets its number, and what imports it is told. */
  withdraw(userId: string, library: LibraryName): Promise<{ readonly kind: 'withdrawn' } | Missing | InUse>;
  /** What these imports need, imports of imports included, as a compiler takes it. */
  sourcesOf(userId: string, imports: readonly LibraryName[]): Promise<readonly LibrarySource[]>;
  /** The same, and the names of all others, for somebody who types an import. */
  namesAndSourcesOf(userId: string, imports: readonly LibraryName[]): Promise<readonly LibrarySource[]>;
}

export interface PublicationsOptions {
  readonly store: PublicationStore;
  readonly scripts: Pick<ScriptStore, 'read' | 'version'>;
  readonly checker: ScriptChecker;
  readonly nowMs: () => number;
}

export const createPublications = (options: PublicationsOptions): Publications => new StoredPublications(options);

export const digestOf = (source: string): string => createHash('sha256').update(source).digest('hex');

type Code = Pick<Publication, 'source' | 'scriptId' | 'revision'>;

/** Why code cannot be kept as it is; what a stored script holds was looked at when it was saved. */
function refusalOf(content: string): Unpublishable | TooLarge | undefined {
  if (isContentTooLarge(content)) return { kind: 'too-large', reason: TOO_LARGE };
  const [fault] = textFaults({ content });
  return fault && { kind: 'unpublishable', reason: fault.reason };
}

class StoredPublications implements Publications {
  readonly #options: PublicationsOptions;
  readonly #store: PublicationStore;

  constructor(options: PublicationsOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  async publish(userId: string, wanted: WantedPublication): ReturnType<Publications['publish']> {
    assertUser(userId);
    const { publisher = OWN_PUBLISHER, version } = wanted;
    if (!isPublisher(publisher)) return { kind: 'unpublishable', reason: BAD_PUBLISHER };
    if (version !== undefined && !isVersion(version)) return { kind: 'unpublishable', reason: BAD_VERSION };
    const code = await this.#codeOf(userId, wanted.code);
    if ('kind' in code) return code;
    const { source } = code;
    const imports = importsOf(source);
    const libraries = await importedSources(this.#store, userId, imports);
    const name = await this.#nameOf({ source, libraries, caller: { class: 'keyed', id: userId } });
    if (typeof name !== 'string') return name;
    if (wanted.name !== undefined && wanted.name !== name) return { kind: 'unpublishable', reason: otherName(name) };
    const published = await this.#store.publish(userId, {
      ...{ ...code, namespace: publisher, name, version },
      digest: digestOf(source),
      imports: imports.map(libraryKey),
      publishedAtMs: this.#options.nowMs(),
    });
    return isFull(published) ? FULL[published.kind] : published;
  }

  async list(userId: string): ReturnType<Publications['list']> {
    assertUser(userId);
    return this.#store.list(userId);
  }

  async versions(userId: string, namespace: string, name: string): ReturnType<Publications['versions']> {
    assertUser(userId);
    const versions = await this.#store.versions(userId, namespace, name);
    return versions.length === 0 ? { kind: 'missing' } : { kind: 'found', record: versions };
  }

  async read(userId: string, library: LibraryName): ReturnType<Publications['read']> {
    assertUser(userId);
    const record = await this.#store.read(userId, library);
    return record === undefined ? { kind: 'missing' } : { kind: 'found', record };
  }

  async withdraw(userId: string, library: LibraryName): ReturnType<Publications['withdraw']> {
    assertUser(userId);
    return this.#store.withdraw(userId, library);
  }

  async sourcesOf(userId: string, imports: readonly LibraryName[]): ReturnType<Publications['sourcesOf']> {
    assertUser(userId);
    return importedSources(this.#store, userId, imports);
  }

  async namesAndSourcesOf(userId: string, imports: readonly LibraryName[]): ReturnType<Publications['sourcesOf']> {
    const sources = await this.sourcesOf(userId, imports);
    const known = new Set(sources.map(libraryKey));
    const others = (await this.list(userId)).filter((one) => !known.has(libraryKey(one)));
    return [...sources, ...others.map(({ namespace, name, version }) => ({ namespace, name, version, source: null }))];
  }

  async #codeOf(userId: string, code: PublishedCode): Promise<Code | Missing | Unpublishable | TooLarge> {
    if ('content' in code) return refusalOf(code.content) ?? { source: code.content, scriptId: null, revision: null };
    const { scripts } = this.#options;
    const { scriptId, revision: asked } = code;
    const script =
      asked === undefined ? await scripts.read(userId, scriptId) : await scripts.version(userId, scriptId, asked);
    if (script === undefined) return { kind: 'missing' };
    return { source: script.content, scriptId, revision: script.revision };
  }

  /** What the library calls itself, once the compiler has taken it. */
  async #nameOf(request: Parameters<ScriptChecker['check']>[0]): Promise<string | Unpublishable | NotCompiled> {
    const outcome = await this.#options.checker.check(request);
    if (outcome.kind !== 'checked') return { kind: 'not-compiled', outcome };
    const { ok, diagnostics, scriptType, title } = outcome;
    if (!ok || title === undefined) return { kind: 'not-compiled', outcome: { kind: 'compile-failed', diagnostics } };
    if (scriptType === 'library') return title;
    const reason = `This script is declared with ${scriptType}(...), and only libraries can be imported; declare it with library("Name").`;
    return { kind: 'unpublishable', reason };
  }
}

const BAD_PUBLISHER = `publisher has 1 to ${MAX_PUBLISHER_CHARS} of the characters A-Z a-z 0-9 _ - and begins with a letter or underscore; leave it out to be ${OWN_PUBLISHER}.`;
const otherName = (name: string): string =>
  `The library calls itself ${name}, and imports use that name; publish it so, or change its library("${name}").`;
const BAD_VERSION = `version is a whole number from 1 to ${MAX_VERSION}; leave it out to get the next one.`;

const MEBIBYTE = 1024 * 1024;
const FULL: Readonly<Record<Full['kind'], TooMany>> = {
  'too-many': {
    kind: 'too-many',
    reason: `There are ${MAX_PUBLICATIONS_PER_USER} published libraries already; withdraw one that nothing imports any more.`,
  },
  'no-room': {
    kind: 'too-many',
    reason: `Scripts, their versions and published libraries take ${MAX_STORED_BYTES_PER_USER / MEBIBYTE} MiB already; delete scripts or withdraw libraries that are no longer needed.`,
  },
};

const isFull = (published: { readonly kind: string }): published is Full => Object.hasOwn(FULL, published.kind);

// /api/lsp: help for editors as the Analysis API gives it, for whoever presents a key: imports of his own libraries are found.

import type { KitContext } from '../../http/context.ts';
import type { Endpoint, EndpointHandler } from '../../http/endpoint.ts';
import type { Publications } from '../../library/publications.ts';
import type { Caller, WantedLibraries } from '../../library/request-runner.ts';
import { RUNS_PER_WINDOW } from '../../library/run-window.ts';
import type { LibrarySource } from '../../pine/index.ts';
import { createCallWindow } from './call-window.ts';
import { EDITOR_DOCS } from './publication-docs.ts';
import type { Authenticate } from './require-key.ts';
import type { StorageGuard } from './storage-refusal.ts';

/** The analysis service's road from the bytes of a request to those of its answer; it answers, or throws a refusal of our table. */
export type ServeRun = (c: KitContext, caller: Caller, options?: ServeOptions) => Promise<Response>;

export interface ServeOptions {
  /** A run when left out. */
  readonly kind?: 'run' | 'lsp-completion' | 'lsp-hover' | 'lsp-diagnostics';
  readonly headers?: Readonly<Record<string, string>>;
  readonly findLibraries?: ((wanted: WantedLibraries) => Promise<readonly LibrarySource[]>) | undefined;
}

export interface EditorDeps {
  readonly authenticate: Authenticate;
  /** Undefined where no durable database is bound: then there are none to be found. */
  readonly publications: Publications | undefined;
  readonly serveRun: ServeRun;
  readonly stored: StorageGuard;
  readonly monotonicMs: () => number;
}

/** An editor asks with every few keys, and its questions are small. */
const EDITOR_CALLS_PER_MINUTE = 10 * RUNS_PER_WINDOW;

/** The libraries of one user, as a request is given them. */
export const libraryFinder =
  (publications: Publications | undefined, userId: string, guard: <T>(work: Promise<T>) => Promise<T>) =>
  async ({ imports, wantsNames }: WantedLibraries): Promise<readonly LibrarySource[]> => {
    if (publications === undefined) return [];
    return guard(
      wantsNames ? publications.namesAndSourcesOf(userId, imports) : publications.sourcesOf(userId, imports),
    );
  };

export function editorEndpoints(deps: EditorDeps): readonly Endpoint[] {
  const { authenticate, publications, serveRun, stored, monotonicMs } = deps;
  const takeCall = createCallWindow({ policy: 'editor', callsPerMinute: EDITOR_CALLS_PER_MINUTE, monotonicMs });
  const serve =
    (kind: NonNullable<ServeOptions['kind']>): EndpointHandler =>
    async (c) => {
      const { userId } = await authenticate(c);
      const headers = takeCall(userId);
      const findLibraries = libraryFinder(publications, userId, (work) => stored(c, work));
      return serveRun(c, { class: 'editor', id: userId }, { kind, headers, findLibraries });
    };
  return [
    { ...EDITOR_DOCS.completion, handler: serve('lsp-completion') },
    { ...EDITOR_DOCS.hover, handler: serve('lsp-hover') },
    { ...EDITOR_DOCS.diagnostics, handler: serve('lsp-diagnostics') },
  ];
}

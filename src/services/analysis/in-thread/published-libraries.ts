// The libraries of a request inside a thread: those it brings, and those its sender has published, which are asked for first.

import type { NeedsLibraries } from '../../../library/request-runner.ts';
import type { LibrarySource } from '../../../pine/index.ts';
import { importsOf, libraryKey } from '../../../pine/light.ts';
import { joined } from '../json-splice.ts';
import type { HandlerCall } from './handler.ts';

type Libraries = readonly LibrarySource[] | undefined;

/** Where somebody may be typing the name of a library. */
const IMPORT_WORD = /^[ \t]*import\b/m;

/** What has to be asked for before the script can be compiled; undefined where everything is at hand that ever will be. */
export function neededLibraries(
  { libraries, bytes }: HandlerCall,
  source: string,
  given: Libraries = [],
  isTyped = false,
): NeedsLibraries | undefined {
  if (libraries !== 'ask') return undefined;
  const brought = new Set(given.map(libraryKey));
  const texts = [source, ...given.map((one) => one.source ?? '')];
  const imports = texts.flatMap(importsOf).filter((one) => !brought.has(libraryKey(one)));
  const wantsNames = isTyped && IMPORT_WORD.test(source);
  if (imports.length === 0 && !wantsNames) return undefined;
  // In memory of its own, so that it can be handed to the event loop.
  return { kind: 'needs-libraries', imports, wantsNames, body: joined([bytes]) };
}

/** Those of the request come last: of two of one name its own is the one that counts. */
export function allLibraries({ libraries }: HandlerCall, given: Libraries): { readonly libraries?: LibrarySource[] } {
  if (typeof libraries !== 'object') return given === undefined ? {} : { libraries: [...given] };
  return { libraries: [...libraries, ...(given ?? [])] };
}

// Help for whoever writes a script in an editor, inside a thread: what could be written, what a word means, what is wrong, what an old one is in version 5.

import { checkStrict } from '../../../http/strict-body.ts';
import type { NeedsLibraries } from '../../../library/request-runner.ts';
import type { CheckRequest, PlaceRequest, ScriptDiagnostic } from '../../../library/script-runner.ts';
import type { LibrarySource } from '../../../pine/index.ts';
import { LineTable } from '../../../pine/light.ts';
import { refusal } from '../refusal.ts';
import { convertSchema, placeSchema, sourceSchema } from '../schemas.ts';
import { answered, type Handler, type HandlerCall } from './handler.ts';
import { allLibraries, neededLibraries } from './published-libraries.ts';
import { checkLibraries, checkScript } from './run-fields.ts';

/** Who found it, as editors show it beside the message. */
const FOUND_BY = 'signalbox';

export const completion: Handler = async (call) => {
  const request = readPlace(call, true);
  if ('kind' in request) return request;
  const outcome = await call.engine.complete(request);
  if (outcome.kind !== 'completed') return outcome;
  return answered({ status: 'success', items: outcome.items, isIncomplete: false });
};

export const hover: Handler = async (call) => {
  const request = readPlace(call);
  if ('kind' in request) return request;
  const outcome = await call.engine.hover(request);
  if (outcome.kind !== 'hovered') return outcome;
  const { hover: found } = outcome;
  const shown = found && { contents: found.contents, range: rangeOf(request.source, found.range) };
  return answered({ status: 'success', hover: shown });
};

export const diagnostics: Handler = async (call) => {
  const request = checkRequest(checkStrict(sourceSchema, call.value), call);
  if ('kind' in request) return request;
  const outcome = await call.engine.check(request);
  if (outcome.kind !== 'checked') return outcome;
  return answered({ status: 'success', ok: outcome.ok, diagnostics: outcome.diagnostics.map(editorDiagnostic) });
};

/** A script of an old version in version 5, for an editor to put in its place. */
export const convert: Handler = async ({ value, limits, tell, engine }) => {
  const { source } = checkStrict(convertSchema, value);
  checkScript(source, limits, '', 'source');
  tell({ timeoutMs: limits.runTimeoutMs });
  const outcome = await engine.convert({ source, timeoutMs: limits.runTimeoutMs });
  if (outcome.kind === 'not-old') throw refusal('INVALID_FIELD', `source: ${outcome.reason}`);
  if (outcome.kind !== 'converted') return outcome;
  const { version, text, changes } = outcome;
  return answered({ status: 'success', version, text, changes });
};

interface Source {
  readonly source: string;
  readonly libraries?: readonly LibrarySource[] | undefined;
}

function checkRequest(
  { source, libraries }: Source,
  call: HandlerCall,
  isTyped = false,
): CheckRequest | NeedsLibraries {
  const { limits, tell } = call;
  checkScript(source, limits, '', 'source');
  checkLibraries(libraries, limits);
  const needed = neededLibraries(call, source, libraries, isTyped);
  if (needed !== undefined) return needed;
  tell({ timeoutMs: limits.runTimeoutMs });
  return { source, timeoutMs: limits.runTimeoutMs, ...allLibraries(call, libraries) };
}

function readPlace(call: HandlerCall, isTyped = false): PlaceRequest | NeedsLibraries {
  const { line, character, ...source } = checkStrict(placeSchema, call.value);
  const request = checkRequest(source, call, isTyped);
  return 'kind' in request ? request : { ...request, offset: offsetAt(source.source, line, character) };
}

/** Both from 0; a place behind the end of its line, or of the text, is held there, as editors expect. */
function offsetAt(source: string, line: number, character: number): number {
  const lines = new LineTable(source);
  if (line >= lines.lineCount) return source.length;
  const start = lines.offsetAt({ line: line + 1, column: 1 });
  const length = source.slice(start).search(/[\r\n]/);
  return Math.min(start + character, length < 0 ? source.length : start + length);
}

function rangeOf(source: string, { start, end }: { readonly start: number; readonly end: number }) {
  const lines = new LineTable(source);
  const placeOf = (offset: number) => {
    const { line, column } = lines.positionAt(offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: placeOf(start), end: placeOf(end) };
}

/** Lines from 1, characters from 0. An editor shows one text, so the remedy goes with the message. */
const editorDiagnostic = ({ line, column, endLine, endColumn, ...found }: ScriptDiagnostic) => ({
  line,
  character: column - 1,
  endLine,
  endCharacter: endColumn - 1,
  message: found.remedy === undefined ? found.message : `${found.message} ${found.remedy}`,
  severity: found.severity,
  code: found.code,
  source: FOUND_BY,
});

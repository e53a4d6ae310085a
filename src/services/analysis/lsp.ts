// POST /lsp/completion, /lsp/hover and /lsp/diagnostics: help for whoever writes a script in an editor.

import type { KitContext } from '../../http/context.ts';
import type { EndpointHandler } from '../../http/endpoint.ts';
import { readStrict } from '../../http/strict-body.ts';
import type { CheckRequest, PlaceRequest, ScriptDiagnostic, ScriptRunner } from '../../library/script-runner.ts';
import { type LibrarySource, LineTable } from '../../pine/index.ts';
import { checkLibraries, checkScript, outcomeFault, type RunLimits } from './evaluate.ts';
import type { TakeRate } from './free-rate.ts';
import { placeSchema, sourceSchema } from './schemas.ts';

export interface LspDeps {
  readonly runner: Pick<ScriptRunner, 'complete' | 'hover' | 'check'>;
  readonly limits: RunLimits;
  readonly takeRate: TakeRate;
}

/** Who found it, as editors show it beside the message. */
const FOUND_BY = 'signalbox';

export type LspHandlers = Readonly<Record<'completion' | 'hover' | 'diagnostics', EndpointHandler>>;

export function createLsp({ runner, limits, takeRate }: LspDeps): LspHandlers {
  const completion: EndpointHandler = async (c) => {
    const headers = takeRate(c.var.clientAddress);
    const outcome = await runner.complete(await readPlace(c, limits));
    if (outcome.kind !== 'completed') throw outcomeFault(outcome, c.req.raw.signal);
    return c.json({ status: 'success', items: outcome.items, isIncomplete: false }, 200, headers);
  };

  const hover: EndpointHandler = async (c) => {
    const headers = takeRate(c.var.clientAddress);
    const request = await readPlace(c, limits);
    const outcome = await runner.hover(request);
    if (outcome.kind !== 'hovered') throw outcomeFault(outcome, c.req.raw.signal);
    const found = outcome.hover;
    const shown = found && { contents: found.contents, range: rangeOf(request.source, found.range) };
    return c.json({ status: 'success', hover: shown }, 200, headers);
  };

  const diagnostics: EndpointHandler = async (c) => {
    const headers = takeRate(c.var.clientAddress);
    const outcome = await runner.check(checkRequest(c, await readStrict(c, sourceSchema), limits));
    if (outcome.kind !== 'checked') throw outcomeFault(outcome, c.req.raw.signal);
    const found = outcome.diagnostics.map(editorDiagnostic);
    return c.json({ status: 'success', ok: outcome.ok, diagnostics: found }, 200, headers);
  };

  return { completion, hover, diagnostics };
}

interface Source {
  readonly source: string;
  readonly libraries?: readonly LibrarySource[] | undefined;
}

function checkRequest(c: KitContext, { source, libraries }: Source, limits: RunLimits): CheckRequest {
  checkScript(source, limits, 'source');
  checkLibraries(libraries, limits);
  const request = { source, timeoutMs: limits.runTimeoutMs, signal: c.req.raw.signal };
  return libraries === undefined ? request : { ...request, libraries };
}

async function readPlace(c: KitContext, limits: RunLimits): Promise<PlaceRequest> {
  const { line, character, ...source } = await readStrict(c, placeSchema);
  return { ...checkRequest(c, source, limits), offset: offsetAt(source.source, line, character) };
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

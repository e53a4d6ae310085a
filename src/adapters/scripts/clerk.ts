// Answers the orders of the pool inside a thread: compiles, runs, and turns whatever goes wrong into an outcome.

import { createHash } from 'node:crypto';
import type { Refused, ScriptDiagnostic } from '../../library/script-runner.ts';
import {
  answerOf,
  type Compiled,
  compile,
  complete,
  type Diagnostic,
  hover,
  InputFault,
  LineTable,
  ScriptRuntimeError,
  SymbolInfoFault,
} from '../../pine/index.ts';
import type { Order, Outcome } from './messages.ts';
import { ProgramCache, type Sources } from './program-cache.ts';

type RunOrder = Extract<Order, { kind: 'run' | 'evaluate' }>;
type Ran = Extract<Outcome, { kind: 'result' }>;

/** What a thread keeps of a source: the program, or why there is none. */
interface Kept {
  readonly compiled: Compiled;
  readonly diagnostics: readonly ScriptDiagnostic[];
}

/** Digits of the digest that name a script in an answer. */
const SCRIPT_ID_CHARS = 16;

export function createClerk(): (order: Order) => Outcome {
  const cache = new ProgramCache(compiledWithPlaces);
  return (order) => {
    try {
      return answered(order, cache);
    } catch (error) {
      return outcomeOf(error);
    }
  };
}

function answered(order: Order, cache: ProgramCache<Kept>): Outcome {
  switch (order.kind) {
    case 'check': {
      const { compiled, diagnostics } = cache.programOf(order);
      const { program } = compiled;
      return { kind: 'checked', ok: program !== null, diagnostics, inputs: program?.inputs ?? [] };
    }
    case 'complete':
      return { kind: 'completed', items: complete(order.source, order.offset, order.libraries) };
    case 'hover':
      return { kind: 'hovered', hover: hover(order.source, order.offset, order.libraries) };
    case 'run':
      return run(order, cache);
    case 'evaluate': {
      const ran = run(order, cache);
      return ran.kind === 'result' ? evaluated(order, ran) : ran;
    }
  }
}

function compiledWithPlaces({ source, libraries = [] }: Sources): Kept {
  const compiled = compile(source, { libraries });
  const lines = new LineTable(source);
  return { compiled, diagnostics: compiled.diagnostics.map((found) => placed(found, lines)) };
}

function placed({ span, severity, code, message, remedy }: Diagnostic, lines: LineTable): ScriptDiagnostic {
  const { line, column } = lines.positionAt(span.start);
  const { line: endLine, column: endColumn } = lines.positionAt(span.end);
  const found = { line, column, endLine, endColumn, severity, code, message };
  return remedy === undefined ? found : { ...found, remedy };
}

function run(order: RunOrder, cache: ProgramCache<Kept>): Ran | Refused {
  const { compiled, diagnostics } = cache.programOf(order);
  if (compiled.program === null) return { kind: 'compile-failed', diagnostics };
  const { bars, ...options } = order;
  const startedMs = performance.now();
  const result = compiled.program.run(bars, options);
  return { kind: 'result', result, warnings: diagnostics, runMs: performance.now() - startedMs };
}

function evaluated({ source, runId }: Extract<Order, { kind: 'evaluate' }>, { result, warnings }: Ran): Outcome {
  const scriptId = createHash('sha256').update(source).digest('hex').slice(0, SCRIPT_ID_CHARS);
  const answer = { ...answerOf(result), script_id: scriptId, run_id: runId };
  return { kind: 'answer', json: new TextEncoder().encode(JSON.stringify(answer)), warnings };
}

/** Faults of the script and of its inputs are the caller's; everything else is ours. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof ScriptRuntimeError) {
    const { message, barIndex, line, column } = error;
    return { kind: 'runtime-error', message, barIndex, line, column };
  }
  if (error instanceof InputFault || error instanceof SymbolInfoFault)
    return { kind: 'input-fault', reason: error.message };
  if (error instanceof RangeError && /call stack/.test(error.message))
    return { kind: 'too-large', reason: 'it is nested too deeply; split long expressions and nested blocks' };
  if (error instanceof RangeError && /Invalid .*length|allocation failed/.test(error.message))
    return { kind: 'too-large', reason: 'its values do not fit into memory; use fewer bars or fewer plots' };
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  const reason = `the script engine failed: ${message}; this is a fault of ours, report it please`;
  return { kind: 'failed', reason, detail: stack };
}

// The tools a model may use: each only looks, its arguments are checked, its time and the size of its result are bounded.

import { untilAborted } from '../timing/with-timeout.ts';
import type { ToolRequest, ToolResult, ToolSpec } from './model-provider.ts';

/** A tool looks something up and changes nothing; there is none that trades. */
export interface AgentTool {
  readonly spec: ToolSpec;
  /** Rejects with ToolRefusal when the model should read why and try otherwise. */
  run(args: unknown, signal: AbortSignal): Promise<ToolOutcome>;
}

export interface ToolOutcome {
  readonly [field: string]: unknown;
  /** The part that may be cut to fit, from its end: lists come with what matters most first. */
  readonly rows?: readonly unknown[];
}

/** The model reads the message. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}

/** A call as the answer lists it. */
export interface ToolCall {
  readonly name: string;
  /** As the model gave them; the raw text when that was no JSON. */
  readonly arguments: unknown;
  readonly ms: number;
  readonly ok: boolean;
}

/** About 4000 tokens: eight such results still leave room for an answer with every model. */
export const MAX_RESULT_CHARS = 16_000;
/** A long script fits; nothing else needs more. */
export const MAX_ARGUMENT_CHARS = 32_000;
/** As long as a script may run, and a little more. */
const TOOL_TIMEOUT_MS = 15_000;
const SHOWN_ARGUMENT_CHARS = 200;

export interface ToolRun {
  readonly result: ToolResult;
  readonly call: ToolCall;
}

export interface ToolRunParts {
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** Told of faults that are ours. */
  readonly onTrouble: (error: unknown) => void;
}

/** Never rejects: whatever goes wrong is told to the model, and it may go on without. */
export async function runTool({ id, name, argumentsJson }: ToolRequest, parts: ToolRunParts): Promise<ToolRun> {
  const startedMs = parts.monotonicMs();
  const args = readArguments(argumentsJson);
  const { text, failed } = await lookUp(name, args, parts);
  const ms = Math.round(parts.monotonicMs() - startedMs);
  const shown = 'value' in args ? args.value : argumentsJson.slice(0, SHOWN_ARGUMENT_CHARS);
  return { result: { id, name, text, failed }, call: { name, arguments: shown, ms, ok: !failed } };
}

/** A request beyond the limits is answered, too: a model must not wait for a result that never comes. */
export function declineTool({ id, name, argumentsJson }: ToolRequest, reason: string): ToolRun {
  const args = readArguments(argumentsJson);
  const shown = 'value' in args ? args.value : argumentsJson.slice(0, SHOWN_ARGUMENT_CHARS);
  return {
    result: { id, name, text: JSON.stringify({ error: reason }), failed: true },
    call: { name, arguments: shown, ms: 0, ok: false },
  };
}

type ReadArguments = { readonly value: unknown } | { readonly fault: string };

function readArguments(json: string): ReadArguments {
  if (json.length > MAX_ARGUMENT_CHARS)
    return { fault: `the arguments are longer than ${MAX_ARGUMENT_CHARS} characters; send less` };
  // A tool without arguments is often called with none at all.
  if (json.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(json) };
  } catch {
    return { fault: 'the arguments are no JSON; send one JSON object' };
  }
}

async function lookUp(
  name: string,
  args: ReadArguments,
  { tools, signal, nowMs, onTrouble }: ToolRunParts,
): Promise<{ text: string; failed: boolean }> {
  const refuse = (error: string) => ({ text: JSON.stringify({ error }), failed: true });
  const tool = tools.find(({ spec }) => spec.name === name);
  if (tool === undefined)
    return refuse(`there is no such tool; use one of ${tools.map(({ spec }) => spec.name).join(', ')}`);
  if ('fault' in args) return refuse(args.fault);
  const limit = AbortSignal.timeout(TOOL_TIMEOUT_MS);
  try {
    const outcome = await untilAborted(tool.run(args.value, AbortSignal.any([signal, limit])), limit);
    // Without the time of day "this week" means nothing to a model.
    return { text: fitted({ asOf: new Date(nowMs()).toISOString(), ...outcome }), failed: false };
  } catch (error) {
    if (error instanceof ToolRefusal) return refuse(error.message);
    if (!limit.aborted && !signal.aborted) onTrouble(error);
    return refuse(limit.aborted ? 'this took too long; ask for less' : 'this cannot be looked up just now');
  }
}

/** The result as JSON within its size; a list that was cut says by how many rows. */
export function fitted(outcome: ToolOutcome): string {
  let text = JSON.stringify(outcome);
  let { rows } = outcome;
  const all = rows?.length ?? 0;
  while (text.length > MAX_RESULT_CHARS && rows !== undefined && rows.length > 0) {
    rows = rows.slice(0, Math.floor(rows.length / 2));
    text = JSON.stringify({ ...outcome, rows, omittedRows: all - rows.length });
  }
  if (text.length <= MAX_RESULT_CHARS) return text;
  throw new ToolRefusal(`the result is longer than ${MAX_RESULT_CHARS} characters; ask for less`);
}

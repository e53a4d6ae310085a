// What happens to a request inside a thread: its bytes are read and checked, its script is run, its answer is encoded.

import { Refusal } from '../../../http/errors.ts';
import type { JsonBounds } from '../../../http/json-body.ts';
import { parseStrict } from '../../../http/strict-body.ts';
import type { HandleRequest, RequestKind, RequestOutcome } from '../../../library/request-runner.ts';
import { backtestQuick } from './backtest.ts';
import { backtestBatch } from './backtest-batch.ts';
import { completion, convert, diagnostics, hover } from './editor.ts';
import type { Handler } from './handler.ts';
import { optimize } from './optimize.ts';
import { previewChart, previewIndicator } from './previews.ts';
import { run, runBatch, runMessage } from './run.ts';

/**
 * No body of the largest size has more bars, and no bar more fields. Beyond, the parser itself would outgrow the memory
 * of the thread, and nothing can stop it while it is at it.
 */
const IN_A_THREAD: JsonBounds = { maxValues: 2_500_000, maxContainers: 420_000 };

const HANDLERS: Readonly<Record<RequestKind, Handler>> = {
  run,
  'run-batch': runBatch,
  'run-message': runMessage,
  'preview-chart': previewChart,
  'preview-indicator': previewIndicator,
  'backtest-quick': backtestQuick,
  'backtest-batch': backtestBatch,
  optimize,
  'lsp-completion': completion,
  'lsp-hover': hover,
  'lsp-diagnostics': diagnostics,
  'lsp-convert': convert,
};

export const handleRequest: HandleRequest = async (
  { kind, body, limits, runId, at = '', bars, libraries },
  engine,
  tell,
) => {
  try {
    const bytes = Buffer.concat(body);
    const value = parseStrict(bytes, IN_A_THREAD);
    return await HANDLERS[kind]({ value, bytes, limits, runId, at, bars, libraries, engine, tell });
  } catch (fault) {
    return rejected(fault);
  }
};

function rejected(fault: unknown): RequestOutcome {
  if (!(fault instanceof Refusal)) throw fault;
  const { code, detail, extra } = fault;
  return { kind: 'rejected', code, message: detail, extra };
}

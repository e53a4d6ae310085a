// A run that fails is told in the same code and words by the command line and by POST /run, whatever kind of fault it is.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run as cli } from '../../src/cli/testing/fake-host.ts';
import type { Refused, Stopped } from '../../src/library/script-runner.ts';
import { openAnalysis, requestOf } from '../../src/services/analysis/testing/analysis-app.ts';

type Fault = Refused | Stopped;

const DIAGNOSTIC = {
  line: 1,
  column: 2,
  endLine: 1,
  endColumn: 4,
  severity: 'error',
  code: 'PE103',
  message: 'no',
} as const;
const stopped = (kind: Stopped['kind']): Stopped => ({ kind, reason: `${kind}: do this about it` });

/** One of each kind, and the code it has; the compiler sees to it that none is forgotten. */
const FAULTS: { readonly [K in Fault['kind']]: readonly [Extract<Fault, { kind: K }> | Stopped, string] } = {
  'compile-failed': [{ kind: 'compile-failed', diagnostics: [DIAGNOSTIC] }, 'SCRIPT_ERROR'],
  'runtime-error': [{ kind: 'runtime-error', message: 'enough', barIndex: 1, line: 3, column: 5 }, 'RUNTIME_ERROR'],
  'input-fault': [{ kind: 'input-fault', reason: 'Length must be 1 or more' }, 'INVALID_FIELD'],
  timeout: [stopped('timeout'), 'TIMEOUT'],
  'too-large': [stopped('too-large'), 'MEMORY_LIMIT'],
  busy: [stopped('busy'), 'BUSY'],
  canceled: [stopped('canceled'), 'STOPPING'],
  failed: [stopped('failed'), 'INTERNAL'],
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-faults-'));
  writeFileSync(join(folder, 'bars.csv'), 'time,open,high,low,close\n60,1,3,0,2\n120,2,4,1,3\n');
  writeFileSync(join(folder, 'script.pine'), '//@version=6\nindicator("x")\nplot(close)\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

async function byCommand(outcome: Fault): Promise<Record<string, unknown>> {
  const answer = async () => outcome;
  const check = async () => ({ kind: 'checked', ok: true, diagnostics: [], inputs: [] }) as const;
  const scripts = { run: answer, evaluate: answer, check, close: async () => {} };
  const words = ['run', join(folder, 'script.pine'), '--bars', join(folder, 'bars.csv'), '--json'];
  const { out, code } = await cli(words, { scripts });
  expect(code).toBe(1);
  return JSON.parse(out) as Record<string, unknown>;
}

async function byRequest(outcome: Fault): Promise<Record<string, unknown>> {
  const { post } = openAnalysis({ evaluate: async () => outcome });
  return { ...(await post('/run', requestOf())).body };
}

describe('a fault of a run', () => {
  it.each(Object.entries(FAULTS))('%s is told alike through both doors', async (_, [outcome, code]) => {
    const [told, answered] = [await byCommand(outcome), await byRequest(outcome)];
    expect([told.code, answered.code]).toEqual([code, code]);
    expect(Object.keys(told)).toEqual(Object.keys(answered));
    // What went wrong inside is nobody's business but that of whoever runs Signalbox.
    if (outcome.kind === 'failed')
      expect([told.message, answered.message]).toEqual([outcome.reason, expect.not.stringContaining(outcome.reason)]);
    else expect(told).toEqual(answered);
  });
});

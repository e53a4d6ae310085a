// Tools of a model: whatever they do, there is a result of bounded size, and the model is told.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentTool, fitted, MAX_RESULT_CHARS, runTool, ToolRefusal } from './tool-calls.ts';

const tool = (run: AgentTool['run']): AgentTool => ({ spec: { name: 'look', description: '', inputSchema: {} }, run });
const troubles: unknown[] = [];
const look = (run: AgentTool['run'], argumentsJson = '{}', signal = new AbortController().signal) =>
  runTool(
    { id: '1', name: 'look', argumentsJson },
    { tools: [tool(run)], signal, nowMs: () => 0, monotonicMs: () => 0, onTrouble: (error) => troubles.push(error) },
  );

describe('a tool', () => {
  it('gets its arguments, and its result says when it was', async () => {
    const { result, call } = await look(async (args) => ({ got: args }), '{"a":[1]}');
    expect(JSON.parse(result.text)).toEqual({ asOf: '1970-01-01T00:00:00.000Z', got: { a: [1] } });
    expect([result.failed, call]).toEqual([false, { name: 'look', arguments: { a: [1] }, ms: 0, ok: true }]);
  });

  it('called with nothing at all gets an empty object', async () => {
    expect(JSON.parse((await look(async (args) => ({ got: args }), ' ')).result.text)).toMatchObject({ got: {} });
  });

  it('that refuses is quoted; one that breaks is not, but its owner is told', async () => {
    const refused = await look(async () => {
      throw new ToolRefusal('send less');
    });
    expect(JSON.parse(refused.result.text)).toEqual({ error: 'send less' });
    troubles.length = 0;
    const broken = await look(async () => {
      throw new Error('/a/path of the inside');
    });
    expect(JSON.parse(broken.result.text)).toEqual({ error: 'this cannot be looked up just now' });
    expect(String(troubles)).toContain('of the inside');
  });

  it('is told when the caller leaves', async () => {
    const leaving = new AbortController();
    const looking = look(
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
      '{}',
      leaving.signal,
    );
    leaving.abort();
    expect((await looking).call.ok).toBe(false);
  });
});

describe('a result', () => {
  it('fits its size, keeps the first rows, and says how many are missing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 400 }), { maxLength: 300 }), (rows) => {
        const text = fitted({ rows });
        expect(text.length).toBeLessThanOrEqual(MAX_RESULT_CHARS);
        const read = JSON.parse(text) as { rows: string[]; omittedRows?: number };
        expect(read.rows).toEqual(rows.slice(0, read.rows.length));
        expect(read.rows.length + (read.omittedRows ?? 0)).toBe(rows.length);
      }),
      { numRuns: 100 },
    );
  });

  it('that cannot be cut is refused', () => {
    expect(() => fitted({ all: 'x'.repeat(MAX_RESULT_CHARS) })).toThrow(ToolRefusal);
    expect(() => fitted({ all: 'x'.repeat(MAX_RESULT_CHARS), rows: [1] })).toThrow(/ask for less/);
  });
});

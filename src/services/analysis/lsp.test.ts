// Help for editors over a runner that answers what a test says: places, shapes, limits and every other end.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckRequest, PlaceRequest, Stopped } from '../../library/script-runner.ts';
import { openAnalysis } from './testing/analysis-app.ts';

const EDITOR = ['/lsp/completion', '/lsp/hover', '/lsp/diagnostics'] as const;
const bodyFor = (path: string, source = 'x', more: object = {}) =>
  path === '/lsp/diagnostics' ? { source, ...more } : { source, line: 0, character: 0, ...more };

function openEditor() {
  const asked: (CheckRequest | PlaceRequest)[] = [];
  const noted =
    <T>(answer: T) =>
    async (request: CheckRequest) => {
      asked.push(request);
      return answer;
    };
  const opened = openAnalysis({
    complete: noted({ kind: 'completed', items: [] } as const),
    hover: noted({ kind: 'hovered', hover: null } as const),
    check: noted({ kind: 'checked', ok: true, diagnostics: [], inputs: [] } as const),
  });
  const offsetOf = async (source: string, line: number, character: number) => {
    await opened.post('/lsp/completion', { source, line, character });
    return (asked.at(-1) as PlaceRequest).offset;
  };
  return { ...opened, asked, offsetOf };
}

describe('a place', () => {
  it.each([
    [0, 0, 0],
    [0, 2, 2],
    [0, 99, 2],
    [1, 0, 4],
    [1, 3, 7],
    [1, 4, 7],
    [2, 0, 8],
    [2, 2, 10],
    [3, 0, 10],
    [99, 99, 10],
  ])('in line %i at %i is the offset %i, and beyond an end it is held there', async (line, character, offset) => {
    expect(await openEditor().offsetOf('ab\r\ncd€\n🚀', line, character)).toBe(offset);
  });

  it('is the same whatever ends the lines', async () => {
    const { offsetOf } = openEditor();
    const lines = fc.array(fc.string({ maxLength: 5, unit: fc.constantFrom('a', 'é', ' ') }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(8), fc.nat(8), async (texts, line, character) => {
        const index = Math.min(line, texts.length - 1);
        const before = texts.slice(0, index).reduce((sum, text) => sum + text.length, 0);
        const column = line > index ? texts[index]!.length : Math.min(character, texts[index]!.length);
        expect(await offsetOf(texts.join('\n'), line, character)).toBe(before + column + index);
        expect(await offsetOf(texts.join('\r\n'), line, character)).toBe(before + column + 2 * index);
      }),
      { numRuns: 50 },
    );
  });
});

describe('an answer', () => {
  it('lists what could be written', async () => {
    const item = {
      label: 'sma',
      kind: 'function',
      detail: 'ta.sma(source, length)',
      documentation: 'Mean.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a snippet of an editor.
      insertText: 'sma(${1:source})',
      insertTextFormat: 'snippet',
    } as const;
    const { post } = openAnalysis({ complete: async () => ({ kind: 'completed', items: [item] }) });
    const { status, body } = await post('/lsp/completion', bodyFor('/lsp/completion'));
    expect([status, body]).toEqual([200, { status: 'success', items: [item], isIncomplete: false }]);
  });

  it('explains a word, with its range from 0', async () => {
    const hover = { contents: 'What it means', range: { start: 4, end: 7 } };
    const { post } = openAnalysis({ hover: async () => ({ kind: 'hovered', hover }) });
    const { body } = await post('/lsp/hover', { source: 'a\r\n sma', line: 1, character: 2 });
    const range = { start: { line: 1, character: 1 }, end: { line: 1, character: 4 } };
    expect(body).toEqual({ status: 'success', hover: { contents: 'What it means', range } });
  });

  it('is null where there is nothing to tell', async () => {
    expect((await openEditor().post('/lsp/hover', bodyFor('/lsp/hover'))).body).toEqual({
      status: 'success',
      hover: null,
    });
  });

  it('tells what is wrong, lines from 1 and characters from 0, with the remedy', async () => {
    const at = { line: 3, column: 6, endLine: 4, endColumn: 1 };
    const diagnostics = [
      { ...at, severity: 'error', code: 'E1', message: 'Unknown.', remedy: 'Use close.' },
      { ...at, severity: 'warning', code: 'W1', message: 'Unused.' },
    ] as const;
    const { post } = openAnalysis({ check: async () => ({ kind: 'checked', ok: false, diagnostics, inputs: [] }) });
    const shown = { line: 3, character: 5, endLine: 4, endCharacter: 0, source: 'signalbox' };
    expect((await post('/lsp/diagnostics', { source: 'x' })).body).toEqual({
      status: 'success',
      ok: false,
      diagnostics: [
        { ...shown, severity: 'error', code: 'E1', message: 'Unknown. Use close.' },
        { ...shown, severity: 'warning', code: 'W1', message: 'Unused.' },
      ],
    });
  });
});

describe('/lsp/convert', () => {
  const changes = [
    { line: 2, what: 'study() is indicator()', why: 'It has another name.', severity: 'changed' },
  ] as const;

  it('gives the script in version 5 with what was changed', async () => {
    const asked: object[] = [];
    const { post } = openAnalysis({
      convert: async (request) => {
        asked.push(request);
        return { kind: 'converted', version: 4, text: 'new', changes };
      },
    });
    expect((await post('/lsp/convert', { source: 'old' })).body).toEqual({
      ...{ status: 'success', version: 4, text: 'new', changes },
    });
    expect(asked).toMatchObject([{ source: 'old', timeoutMs: 10_000 }]);
  });

  it('refuses what is not old, in words, and what cannot be read, with its mistakes', async () => {
    const reason = 'The script is of version 5.';
    const notOld = openAnalysis({ convert: async () => ({ kind: 'not-old', reason }) });
    expect(await notOld.post('/lsp/convert', { source: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELD', message: `source: ${reason}` },
    });
    const at = { line: 3, column: 6, endLine: 3, endColumn: 7 };
    const diagnostics = [{ ...at, severity: 'error', code: 'PE018', message: 'Open.' }] as const;
    const faulty = openAnalysis({ convert: async () => ({ kind: 'compile-failed', diagnostics }) });
    expect(await faulty.post('/lsp/convert', { source: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'SCRIPT_ERROR', diagnostics },
    });
  });

  it.each([
    ['{}', 'MISSING_FIELD'],
    ['{"source":5}', 'INVALID_FIELD'],
    ['{"source":"x","libraries":[]}', 'UNKNOWN_FIELDS'],
  ])('refuses %s', async (body, code) => {
    expect(await openAnalysis({}).post('/lsp/convert', body)).toMatchObject({ status: 400, body: { code } });
  });

  it('takes a source of 262,144 characters, and no more', async () => {
    const { post } = openAnalysis({ convert: async () => ({ kind: 'converted', version: 1, text: '', changes: [] }) });
    expect((await post('/lsp/convert', { source: 'x'.repeat(262_144) })).status).toBe(200);
    expect((await post('/lsp/convert', { source: 'x'.repeat(262_145) })).status).toBe(413);
  });
});

describe.each(EDITOR)('%s', (path) => {
  it('hands on the source, its libraries, the time limit and the signal', async () => {
    const { post, asked } = openEditor();
    const libraries = [{ namespace: 'me', name: 'Lib', version: 1, source: 'y' }];
    expect((await post(path, bodyFor(path, 'x', { libraries }))).status).toBe(200);
    expect(asked[0]).toMatchObject({ source: 'x', libraries, timeoutMs: 10_000 });
    expect(asked[0]?.signal?.aborted).toBe(false);
  });

  it.each([
    ['{', 'INVALID_BODY'],
    ['[]', 'INVALID_BODY'],
    ['{}', 'MISSING_FIELD'],
    ['{"source":5,"line":0,"character":0}', path === '/lsp/diagnostics' ? 'UNKNOWN_FIELDS' : 'INVALID_FIELD'],
    ['{"source":"x","line":0,"character":0,"x":1}', 'UNKNOWN_FIELDS'],
    ['{"source":"x","line":0,"character":0,"__proto__":1}', 'UNKNOWN_FIELDS'],
  ])('refuses %s', async (body, code) => {
    const sent = await openEditor().post(path, body);
    expect(sent).toMatchObject({ status: 400, body: { status: 'error', code } });
  });

  it('takes a source of 262,144 characters, and no more', async () => {
    const { post } = openEditor();
    expect((await post(path, bodyFor(path, 'x'.repeat(262_144)))).status).toBe(200);
    expect(await post(path, bodyFor(path, 'x'.repeat(262_145)))).toMatchObject({
      status: 413,
      body: { code: 'SCRIPT_TOO_LARGE', message: 'source: has 262145 characters, send at most 262144' },
    });
    const sent = await post(path, bodyFor(path, 'x'.repeat(1024 * 1024)));
    expect([sent.status, sent.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it.each([
    [{ kind: 'timeout', reason: 'slow' }, 408, 'TIMEOUT'],
    [{ kind: 'too-large', reason: 'deep' }, 422, 'MEMORY_LIMIT'],
    [{ kind: 'busy', reason: 'later' }, 429, 'BUSY'],
    [{ kind: 'failed', reason: 'ours' }, 500, 'INTERNAL'],
    [{ kind: 'canceled', reason: 'stops' }, 503, 'STOPPING'],
  ] as const)('may end otherwise: %j', async (outcome: Stopped, status, code) => {
    const ended = async () => outcome;
    const { post } = openAnalysis({ complete: ended, hover: ended, check: ended });
    const sent = await post(path, bodyFor(path));
    expect([sent.status, sent.body.code]).toEqual([status, code]);
  });

  it('has a wider limit of its own, beside that of the runs', async () => {
    const { post } = openAnalysis(
      {
        complete: async () => ({ kind: 'completed', items: [] }),
        hover: async () => ({ kind: 'hovered', hover: null }),
        check: async () => ({ kind: 'checked', ok: true, diagnostics: [], inputs: [] }),
      },
      { freeRatePerMinute: 1 },
    );
    for (let i = 0; i < 10; i += 1) expect((await post(path, bodyFor(path))).status).toBe(200);
    expect((await post(path, bodyFor(path))).headers.get('ratelimit-policy')).toBe('"free-editor";q=10;w=60');
    expect((await post(path, bodyFor(path))).status).toBe(429);
  });
});

it.each([
  ['"line":-1,"character":0', 'line: is too small, send at least 0'],
  ['"line":0,"character":0.5', 'character: is not a whole number, round it'],
  ['"line":1e300,"character":0', 'line: is '],
  ['"line":"0","character":0', 'line: is a number in quotes'],
  ['"line":null,"character":0', 'line: is null'],
])('a place that is none is refused: %s', async (place, message) => {
  for (const path of ['/lsp/completion', '/lsp/hover']) {
    const sent = await openEditor().post(path, `{"source":"x",${place}}`);
    expect(sent).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELD', message: expect.stringContaining(message) },
    });
  }
});

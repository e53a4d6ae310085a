// The description of the routes: it names what is mounted, and each example is a body that its endpoint accepts.

import { expect, test } from 'vitest';
import { buildOpenApi } from '../../http/openapi.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { ADMIN_TOKEN, openAnalysis } from './testing/analysis-app.ts';
import { ranInTest } from './testing/run-in-test.ts';

const { endpoints } = openAnalysis().app;

const PNG = Uint8Array.of(0x89, 0x50);
/** What an example is answered with: nobody has this key, and a search goes on. */
const ANSWERS: Readonly<Record<string, number>> = { '/auth/validate': 401, '/optimize': 202, '/backtest/batch': 202 };

test.each(endpoints.filter(({ body }) => body !== undefined))(
  'the example of $path is accepted',
  async ({ path, body, bodyExample }) => {
    expect(body?.safeParse(bodyExample)).toMatchObject({ success: true });
    const { post, keys } = openAnalysis({
      complete: async () => ({ kind: 'completed', items: [] }),
      convert: async () => ({ kind: 'converted', version: 4, text: '', changes: [] }),
      hover: async () => ({ kind: 'hovered', hover: null }),
      check: async () => ({ kind: 'checked', ok: true, diagnostics: [], inputs: [], scriptType: 'strategy' }),
      run: async ({ bars, source }) => ranInTest(source, bars),
      draw: async () => ({ kind: 'drawn', png: PNG, script: null, warnings: [] }),
      space: async () => ({
        kind: 'space',
        scriptType: 'strategy',
        scriptName: 'Example',
        space: { axes: [{ title: 'Length', values: [1, 2] }], fixed: {} },
      }),
    });
    const { apiKey } = await keys.mint('free');
    const headers = { authorization: `Bearer ${apiKey}`, 'x-admin-token': ADMIN_TOKEN };
    expect((await post(path, bodyExample, { headers })).status).toBe(ANSWERS[path] ?? 200);
  },
);

test('every route that is mounted comes from the table', () => {
  const { app } = openAnalysis();
  const routed = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
  expect(routed).toEqual(
    app.endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
});

test('the description is a document', () => {
  const document = buildOpenApi({
    title: 'Analysis API',
    version: '1.0.0',
    description: 'test',
    endpoints,
    errorShapeSchema: statusErrorSchema,
  });
  expect(JSON.stringify(document)).toContain('timeout_seconds');
  expect(JSON.stringify(document)).toContain('calls_remaining');
});

// The description of the routes: it names what is mounted, and each example is a body that its endpoint accepts.

import { expect, test } from 'vitest';
import { buildOpenApi } from '../../http/openapi.ts';
import { ANALYSIS_ROUTES } from './routes.ts';
import { errorSchema } from './schemas.ts';
import { openAnalysis } from './testing/analysis-app.ts';

test.each(ANALYSIS_ROUTES)('the example of $path is accepted', async ({ path, body, bodyExample }) => {
  expect(body?.safeParse(bodyExample)).toMatchObject({ success: true });
  const { post } = openAnalysis({
    complete: async () => ({ kind: 'completed', items: [] }),
    hover: async () => ({ kind: 'hovered', hover: null }),
    check: async () => ({ kind: 'checked', ok: true, diagnostics: [], inputs: [] }),
  });
  expect((await post(path, bodyExample)).status).toBe(200);
});

test('every route that is mounted is described', () => {
  const mounted = openAnalysis().app.routes.filter(({ method }) => method !== 'ALL');
  expect(mounted.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    ANALYSIS_ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
  );
});

test('the description is a document', () => {
  const document = buildOpenApi({
    title: 'Analysis API',
    version: '1.0.0',
    description: 'test',
    routes: ANALYSIS_ROUTES,
    errorShapeSchema: errorSchema,
  });
  expect(JSON.stringify(document)).toContain('timeout_seconds');
});

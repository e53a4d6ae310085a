// The description of the routes: it names what is mounted, its examples are accepted, and answers look as it says.

import { expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { buildOpenApi } from '../../http/openapi.ts';
import { statusErrorSchema } from '../../http/status-shape.ts';
import { PUBLICATION_DOCS } from './publication-docs.ts';
import { openLibrariesApp } from './testing/libraries-app.ts';
import { ADMIN_TOKEN, openScriptsApp } from './testing/scripts-app.ts';

const { endpoints } = openScriptsApp().app;

const flow = {
  start: async () => ({
    kind: 'started' as const,
    deviceCode: 'd',
    userCode: 'u',
    verificationUri: 'https://host.example/device',
    expiresInS: 900,
    intervalS: 5,
  }),
  poll: async () => ({ kind: 'waiting' as const, state: 'slow_down' as const, intervalS: 10 }),
};

/** With something in place of the variables that a reader of /docs sets. */
const filled = (example: unknown): unknown =>
  example === undefined ? undefined : JSON.parse(JSON.stringify(example).replaceAll(/\$[A-Z_]+/g, 'x'));

test.each(endpoints)('$method $path answers as it is described, its example taken', async (route) => {
  const { method, path, body, responses } = route;
  const bodyExample = filled(route.bodyExample);
  const app = openLibrariesApp({ deviceFlow: flow, oauthClientIds: { github: 'x' } });
  onTestFinished(() => app.close());
  const key = await app.newKey();
  await app.send('PUT', '/api/scripts/mine', { key, body: { name: 'n', content: 'c' } });
  if (path.includes('{publisher}'))
    await app.send('POST', '/api/libraries', { key, body: PUBLICATION_DOCS.publish.bodyExample });
  expect(body?.safeParse(bodyExample).success ?? true).toBe(true);
  const filledPath = path
    .replace('{id}', 'mine')
    .replace('{revision}', '1')
    .replace('{publisher}/{name}', 'me/DocsExample')
    .replace('{version}', '1');
  const sent = await app.send(method.toUpperCase(), filledPath, {
    key,
    headers: { 'x-admin-token': ADMIN_TOKEN },
    body: bodyExample,
  });
  expect(sent.status).toBeLessThan(300);
  const described = responses[sent.status]?.schema as z.ZodType | undefined;
  expect(described?.safeParse(sent.body).error).toBeUndefined();
  expect(described).toBeDefined();
});

test('every route that is mounted comes from the table', () => {
  const { app } = openScriptsApp();
  const routed = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
  const listed = app.endpoints.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  );
  expect(routed).toEqual(listed);
});

test('the description is a document', () => {
  const document = buildOpenApi({
    title: 'Script worker',
    version: '1.0.0',
    description: 'test',
    endpoints,
    errorShapeSchema: statusErrorSchema,
  });
  expect(JSON.stringify(document)).toContain('remoteRevision');
});

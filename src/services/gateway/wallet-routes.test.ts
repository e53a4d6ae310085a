// The description of /wallet: valid for everybody who reads it, with examples that their endpoints accept.

import { expect, test } from 'vitest';
import { buildOpenApi } from '../../http/openapi.ts';
import { errorSchema } from './schemas.ts';
import { WALLET_ROUTES } from './wallet-routes.ts';

test.each(WALLET_ROUTES.map((route) => ({ name: route.path, route })))(
  'the example of $name is accepted',
  ({ route }) => {
    expect(route.body?.safeParse(route.bodyExample)).toMatchObject({ success: true });
  },
);

test('can be written down as OpenAPI, with amounts as text and the chain required', () => {
  const document = buildOpenApi({
    ...{ title: 'x', version: '1', description: 'x', serverUrl: undefined, routes: WALLET_ROUTES },
    errorShapeSchema: errorSchema,
  }) as { paths: Record<string, { post: { requestBody: object } }> };
  const send = JSON.stringify(document.paths['/wallet/send']?.post.requestBody);
  expect(send).toContain('"value":{');
  expect(send).toContain('"chain"');
});

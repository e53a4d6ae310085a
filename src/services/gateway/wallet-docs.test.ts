// The description of /wallet: valid for everybody who reads it, with examples that their endpoints accept.

import { expect, test } from 'vitest';
import { buildOpenApi } from '../../http/openapi.ts';
import { errorSchema } from './schemas.ts';
import { WALLET_DOCS } from './wallet-docs.ts';

const DOCS = Object.values(WALLET_DOCS);

test.each(DOCS.map((doc) => ({ name: doc.path, doc })))('the example of $name is accepted', ({ doc }) => {
  expect(doc.body.safeParse(doc.bodyExample)).toMatchObject({ success: true });
});

test('can be written down as OpenAPI, with amounts as text and the chain required', () => {
  const document = buildOpenApi({
    ...{ title: 'x', version: '1', description: 'x', serverUrl: undefined, endpoints: DOCS },
    errorShapeSchema: errorSchema,
  }) as { paths: Record<string, { post: { requestBody: object } }> };
  const send = JSON.stringify(document.paths['/wallet/send']?.post.requestBody);
  expect(send).toContain('"value":{');
  expect(send).toContain('"chain"');
});

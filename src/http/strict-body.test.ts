// Strict bodies: what a schema refuses comes back once, with every fault, under the code of the worst kind.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineErrors } from './errors.ts';
import { readStrict } from './strict-body.ts';
import { createFixture, kitRows } from './testing/app-fixture.ts';

const row = { status: 400, message: 'no' } as const;
const schema = z.strictObject({ name: z.string(), size: z.number().optional(), list: z.array(z.number()).optional() });

function openApp() {
  const { app } = createFixture({
    errors: defineErrors({
      ...kitRows,
      INVALID_BODY: row,
      UNKNOWN_FIELDS: row,
      MISSING_FIELD: row,
      INVALID_FIELD: row,
    }),
  });
  app.post('/strict', async (c) => c.json(await readStrict(c, schema)));
  app.post('/optional', async (c) => c.json(await readStrict(c, schema, { whenEmpty: { name: 'none' } })));
  app.post('/small', async (c) => c.json(await readStrict(c, schema, { limitBytes: 20 })));
  return app;
}

async function post(path: string, body: string) {
  const answer = await openApp().request(path, { method: 'POST', body });
  return (await answer.json()) as { code: string; error: string };
}

test.each([
  ['', 'INVALID_BODY', /empty/],
  ['{', 'INVALID_BODY', /./],
  ['null', 'INVALID_BODY', /./],
  ['[]', 'INVALID_BODY', /body: is an array, send an object/],
  ['{"name":"a","name":"b"}', 'INVALID_BODY', /Send each key once/],
  ['{"nmae":"a"}', 'UNKNOWN_FIELDS', /name: is missing.*remove nmae|remove nmae.*name: is missing/],
  ['{"size":"1"}', 'MISSING_FIELD', /name: is missing, add a string; size: is a number in quotes, drop the quotes$/],
  ['{"name":1}', 'INVALID_FIELD', /name: is a number, put it in double quotes/],
  ['{"name":"a","list":[1,null]}', 'INVALID_FIELD', /list\.1/],
  ['{"name":null}', 'INVALID_FIELD', /name: is null/],
])('%s is %s', async (body, code, words) => {
  expect(await post('/strict', body)).toMatchObject({ code, error: expect.stringMatching(words) });
});

test('a good body is read, and an empty one where it may be left out', async () => {
  expect(await post('/strict', '{"name":"a","size":1}')).toEqual({ name: 'a', size: 1 });
  expect(await post('/optional', '')).toEqual({ name: 'none' });
  expect(await post('/optional', ' ')).toMatchObject({ code: 'INVALID_BODY' });
});

test('the limit is the route’s', async () => {
  expect(await post('/small', `{"name":"${'a'.repeat(20)}"}`)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});

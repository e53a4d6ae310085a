// What changes something refuses words in the query that it does not know, but for the endpoints of the specification.

import { describe, expect, it } from 'vitest';
import { freshGateway } from '../webhook/answers.ts';

const SPECIFIED = [
  '/agent/chat',
  '/agent/vision',
  '/email-signal',
  '/query',
  '/signals',
  '/webhook',
  '/webhook/tradingview',
];

const gateway = await freshGateway();
const changing = gateway.app.endpoints.filter(({ method }) => method !== 'get');
const codeOf = async (method: string, path: string) =>
  (await gateway.request(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'), {})).body.code;

describe.each(changing.map(({ method, path }) => ({ method, path })))('$method $path', ({ method, path }) => {
  const isSpecified = SPECIFIED.includes(path);
  it(isSpecified ? 'passes over what it does not know' : 'refuses what it does not know', async () => {
    const code = await codeOf(method, `${path}?nobodyKnows=1`);
    if (isSpecified) expect(code).not.toBe('INVALID_QUERY');
    else expect(code).toBe('INVALID_QUERY');
  });
});

it('the list is not empty, and what is refused is named with the remedy', async () => {
  expect(changing.length).toBeGreaterThan(30);
  const { body } = await gateway.request('PUT', '/admin/layouts/layout/x?revision=3', { content: {} });
  expect(body.error).toBe(
    'query: has unknown fields, remove revision; nothing stands in the query here, send it in the body',
  );
});

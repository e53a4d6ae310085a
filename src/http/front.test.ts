// Several services behind one address: every path reaches its owner, and refusals come in the owner's shape.

import { describe, expect, it } from 'vitest';
import { createFront } from './front.ts';
import { statusShape } from './status-shape.ts';
import { createFixture } from './testing/app-fixture.ts';

function createServices() {
  const main = createFixture().app;
  const analysis = createFixture({ service: 'analysis', shape: statusShape }).app;
  main.get('/health', (c) => c.text('main'));
  analysis.post('/run', (c) => c.text(`run ${c.req.query('mode') ?? ''}`));
  analysis.post('/run/batch', (c) => c.text('batch'));
  return { main, analysis, front: createFront(main, [{ app: analysis, firstWords: ['run', 'auth'] }]) };
}

const ask = async (path: string, method = 'POST') => {
  const response = await createServices().front.request(path, { method });
  return { status: response.status, text: await response.text() };
};

describe('the front', () => {
  it.each([
    ['/run', 'run '],
    ['/run?mode=auto', 'run auto'],
    ['/run/batch', 'batch'],
  ])('POST %s reaches the service that claims its first word', async (path, text) => {
    expect(await ask(path)).toEqual({ status: 200, text });
  });

  it('gives everything else to the main service', async () => {
    expect(await ask('/health', 'GET')).toEqual({ status: 200, text: 'main' });
  });

  it.each(['/run/nothing', '/auth', '/run/'])('%s is refused in the shape of its service', async (path) => {
    const { status, text } = await ask(path);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ status: 'error', code: 'NOT_FOUND' });
  });

  it.each(['/', '/runs', '/nothing', '/health/run'])('%s is refused in the shape of the main service', async (path) => {
    const { status, text } = await ask(path);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 'NOT_FOUND' });
  });

  it('tells the methods of a path in the shape of its service', async () => {
    const { status, text } = await ask('/run', 'GET');
    expect(status).toBe(405);
    expect(JSON.parse(text)).toMatchObject({ status: 'error', code: 'METHOD_NOT_ALLOWED' });
  });

  it('serves whole addresses as a socket hands them on', async () => {
    const { front } = createServices();
    const answer = await front.fetch(new Request('http://127.0.0.1:8787/run?mode=x', { method: 'POST' }), {});
    expect(await answer.text()).toBe('run x');
    expect((await front.fetch(new Request('http://127.0.0.1:8787', { method: 'POST' }), {})).status).toBe(404);
  });

  it('refuses two owners of one word', () => {
    const { main, analysis } = createServices();
    const twice = { app: analysis, firstWords: ['run', 'run'] };
    expect(() => createFront(main, [twice])).toThrow('Two services claim /run');
  });
});

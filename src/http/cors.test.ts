// Cross-origin calls: preflights, what pages may read, errors included, and who gets nothing.
import { describe, expect, test } from 'vitest';
import { type CorsOptions, useCors } from './cors.ts';
import { Refusal } from './errors.ts';
import { createOrigins } from './origins.ts';
import { createFixture } from './testing/app-fixture.ts';

const PAGE = 'http://localhost:5173';
const FOREIGN = 'https://evil.example';

function setup(options: Partial<CorsOptions> = {}) {
  const fixture = createFixture();
  const { app } = fixture;
  useCors(app, { origins: createOrigins(['https://charts.example.com']), ...options });
  app.get('/health', (c) => c.json({ status: 'healthy' }));
  app.post('/run', (c) => c.json({ status: 'success' }));
  app.get('/things/:id', (c) => c.json({}, 200, { etag: '"1"', vary: 'Accept' }));
  app.put('/things/:id', (c) => c.json({}));
  app.delete('/things/:id', (c) => c.body(null, 204));
  app.get('/refuse', () => {
    throw new Refusal('RATE_LIMITED', 'Wait.', { headers: { 'retry-after': '3' } });
  });
  app.get('/break', () => {
    throw new Error('own fault');
  });
  app.get('/break-oddly', () => {
    throw 'just a text';
  });
  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    app.request(path, { method, headers });
  const preflight = (path: string, method: string, origin = PAGE, more: Record<string, string> = {}) =>
    ask('OPTIONS', path, { Origin: origin, 'Access-Control-Request-Method': method, ...more });
  return { ...fixture, ask, preflight };
}

const corsHeaders = (answer: Response) =>
  Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

describe('a preflight', () => {
  test('of an allowed page is answered with what the path really takes', async () => {
    const answer = await setup().preflight('/things/7', 'PUT', PAGE, {
      'Access-Control-Request-Headers': 'authorization,content-type,if-match',
    });
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD, PUT, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, If-Match, If-None-Match, X-API-Key',
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each(['http://127.0.0.1:3000', 'https://[::1]', 'https://charts.example.com'])(
    'names the very origin %s',
    async (origin) => {
      const answer = await setup().preflight('/run', 'POST', origin);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
    },
  );

  test('names the very origin where all are allowed', async () => {
    const answer = await setup({ origins: createOrigins(['*']) }).preflight('/run', 'POST', FOREIGN);
    expect(answer.headers.get('access-control-allow-origin')).toBe(FOREIGN);
    expect(answer.headers.get('vary')).toBe('Origin');
  });

  test('never lets credentials or the admin token through', async () => {
    const answer = await setup().preflight('/run', 'POST', PAGE, { 'Access-Control-Request-Headers': 'x-admin-token' });
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    expect(answer.headers.get('access-control-allow-headers')).not.toMatch(/admin|\*/i);
  });

  test('of a browser that asks for the local network is told yes', async () => {
    const asks = { 'Access-Control-Request-Private-Network': 'true' };
    const answer = await setup().preflight('/run', 'POST', PAGE, asks);
    expect(answer.headers.get('access-control-allow-private-network')).toBe('true');
  });

  test('of a foreign page is answered as if there were no CORS', async () => {
    const answer = await setup().preflight('/run', 'POST', FOREIGN, {
      'Access-Control-Request-Private-Network': 'true',
    });
    expect(answer.status).toBe(405);
    expect(corsHeaders(answer)).toEqual({ vary: 'Origin' });
    expect(await answer.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  });

  test('of a path where nothing is comes back as 404, readable', async () => {
    const answer = await setup().preflight('/nowhere', 'POST');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
  });

  test.each([
    [{}, undefined],
    [{ Origin: PAGE }, PAGE],
    [{ 'Access-Control-Request-Method': 'POST' }, undefined],
  ])('that is none, with %j, is an ordinary OPTIONS: 405 with Allow', async (headers, readableBy) => {
    const answer = await setup().ask('OPTIONS', '/run', headers);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(answer.headers.get('access-control-allow-origin') ?? undefined).toBe(readableBy);
  });
});

describe('an answer', () => {
  test.each([
    ['GET', '/health', 200],
    ['POST', '/run', 200],
    ['DELETE', '/things/1', 204],
    ['GET', '/nowhere', 404],
    ['GET', '/run', 405],
    ['GET', '/refuse', 429],
    ['GET', '/break', 500],
    ['GET', '/break-oddly', 500],
  ])('to %s %s can be read by an allowed page, whatever its status', async (method, path, status) => {
    const answer = await setup().ask(method, path, { Origin: PAGE });
    expect(answer.status).toBe(status);
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': 'ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      vary: 'Origin',
    });
  });

  test('keeps its own headers', async () => {
    const { ask } = setup();
    const thing = await ask('GET', '/things/1', { Origin: PAGE });
    expect(thing.headers.get('vary')).toBe('Accept, Origin');
    expect(thing.headers.get('etag')).toBe('"1"');
    expect((await ask('GET', '/refuse', { Origin: PAGE })).headers.get('retry-after')).toBe('3');
    expect((await ask('GET', '/break-oddly', { Origin: PAGE })).headers.get('content-type')).toBe('application/json');
  });

  test.each([FOREIGN, 'null', '', 'http://localhost.evil.example'])(
    'to the origin %j cannot be read by it',
    async (origin) => {
      const { ask } = setup();
      for (const path of ['/health', '/nowhere', '/break', '/break-oddly']) {
        expect(corsHeaders(await ask('GET', path, { Origin: origin }))).toEqual({ vary: 'Origin' });
      }
    },
  );

  test('without an origin only says that the origin matters', async () => {
    expect(corsHeaders(await setup().ask('GET', '/health'))).toEqual({ vary: 'Origin' });
  });
});

describe('single paths', () => {
  test('can be opened alone: every other path knows nothing of CORS', async () => {
    const { ask, preflight } = setup({ paths: ['/health'] });
    const health = await ask('GET', '/health', { Origin: PAGE });
    expect(health.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect((await preflight('/health', 'GET')).status).toBe(204);
    for (const path of ['/refuse', '/nowhere', '/break', '/health/more']) {
      expect(corsHeaders(await ask('GET', path, { Origin: PAGE }))).toEqual({});
    }
    expect((await preflight('/run', 'POST')).status).toBe(405);
    expect(corsHeaders(await preflight('/run', 'POST'))).toEqual({});
  });
});

test('routes that are there already are not left out in silence', () => {
  const { app } = createFixture();
  app.get('/early', (c) => c.json({}));
  expect(() => useCors(app, { origins: createOrigins([]) })).toThrow('Call useCors before they are added');
});

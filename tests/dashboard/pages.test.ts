// The files of the dashboard over HTTP: how long they may be kept, how they are checked, what they may do, and how large they are.

import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningProcess, startProcess } from '../support/process.ts';

let signalbox: RunningProcess;
beforeAll(async () => {
  signalbox = await startProcess();
});
afterAll(() => signalbox.stop());

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it comes, without anybody who unpacks it. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    request(`${signalbox.url}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

/** What the page loads by itself. */
const firstFiles = async (): Promise<readonly string[]> =>
  [...(await get('/')).body.toString().matchAll(/(?:src|href)="(\/app\/[^"]+)"/g)].map(([, path]) => path ?? '');

describe('the page', () => {
  test('is asked for each time, has a validator, and lets in files of this server alone', async () => {
    const { status, headers } = await get('/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const again = await get('/', { 'if-none-match': `W/${headers.etag}, "other"` });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await get('/', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('has no script or style of its own', async () => {
    const html = (await get('/')).body.toString();
    expect(html).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\son\w+=/);
  });

  test('loads less than 130 kB of JavaScript', async () => {
    const scripts = (await firstFiles()).filter((path) => path.endsWith('.js'));
    const sizes = await Promise.all(
      scripts.map(async (path) => (await get(path, { 'accept-encoding': 'gzip' })).body.length),
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(130_000);
  });
});

describe('what it loads', () => {
  test('may be kept for ever, in the best encoding that the browser takes', async () => {
    for (const path of await firstFiles()) {
      const plain = await get(path);
      expect(plain.headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable' });
      expect(plain.headers).toMatchObject({ vary: expect.stringMatching(/accept-encoding/i) });
      expect(plain.headers['content-encoding']).toBeUndefined();
      const br = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
      const gzip = await get(path, { 'accept-encoding': 'br;q=0, gzip' });
      expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
      expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    }
  });

  test.each(['/app/nothing.js', '/app/../index.html', '/app/%2e%2e%2flist.json', '/app/', '/index.html', '/list.json'])(
    '%s is not there',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  test('the service worker is asked for each time', async () => {
    expect((await get('/service-worker.js')).headers).toMatchObject({ 'cache-control': 'no-cache' });
  });

  test('the manifest that lets it be installed is there, with every icon that it and the page name', async () => {
    const manifest = JSON.parse((await get('/manifest.webmanifest')).body.toString()) as {
      readonly icons: readonly { readonly src: string; readonly type: string }[];
    };
    expect(manifest).toMatchObject({ start_url: '/', display: 'standalone' });
    expect(manifest.icons.map(({ src }) => src)).toContain('/icon-512.png');
    const named = /rel="apple-touch-icon" href="([^"]+)"/.exec((await get('/')).body.toString())?.[1] ?? '';
    for (const { src, type } of [...manifest.icons, { src: named, type: 'image/png' }]) {
      const { status, headers, body } = await get(src);
      expect([src, status, headers['content-type'], headers['cache-control']]).toEqual([src, 200, type, 'no-cache']);
      expect(body.subarray(1, 4).toString() === 'PNG').toBe(type === 'image/png');
    }
  });
});

test('a start without the dashboard has no page', async () => {
  const other = await startProcess({ env: { SERVICES: 'gateway' } });
  try {
    expect((await fetch(other.url)).status).toBe(404);
    expect(other.output()).not.toContain('Dashboard:');
  } finally {
    await other.stop();
  }
});

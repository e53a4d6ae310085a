// The description of the API is valid, complete, and true of the running program.

import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doorOf } from '../../src/http/endpoint.ts';
import { createInternalGate } from '../../src/http/internal-auth.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { mountOperations } from '../../src/services/operations/index.ts';
import { apiDocument } from '../support/api-document.ts';
import { type RunningProcess, spawnSignalbox, startProcess } from '../support/process.ts';
import { freshGateway, KEY_1 } from '../webhook/answers.ts';

const OPERATIONS = {
  ...{
    version: '1',
    release: '2',
    environment: 'development',
    mode: 'paper',
    venues: { binance: 'paper' },
    prices: 'simulated',
    websocket: true,
  },
  ...{ openApi: () => ({}), probes: () => ({}), warnings: () => [], settings: () => [], monotonicMs: () => 0 },
};
type Operation = { responses: Record<string, unknown>; security: object[]; requestBody?: unknown };
let program: RunningProcess;
let description: { openapi: string; paths: Record<string, Record<string, Operation>> };
beforeAll(async () => {
  program = await startProcess();
  description = (await (await fetch(`${program.url}/openapi.json`)).json()) as typeof description;
});
afterAll(() => program.stop());

const operations = () =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

describe('/openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(description.openapi).toBe('3.1.0');
    expect(await new Validator().validate(structuredClone(description))).toEqual({ valid: true });
  });

  it('is what the answers of all tests are compared with', async () => {
    expect((await apiDocument()).paths).toEqual(description.paths);
  });

  it('lists no route that does not answer', async () => {
    for (const { path, method } of operations()) {
      // Names of files change with every build (tests/dashboard/pages.test.ts).
      if (path === '/app/{file}') continue;
      const url = program.url + path.replace(/\{[^}]+\}/g, KEY_1);
      const response = await fetch(url, { method });
      const code = /"code":"(NOT_FOUND|METHOD_NOT_ALLOWED)"/.exec(await response.text())?.[1];
      expect([path, method, code]).toEqual([path, method, undefined]);
    }
  });

  it('lists every route there is, and every route comes from the table', async () => {
    const gateway = await freshGateway();
    mountOperations(gateway.app, { ...OPERATIONS, metrics: createMetrics(), gate: createInternalGate({}) });
    const routed = gateway.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(routed.length).toBeGreaterThan(20);
    expect(routed).toEqual(gateway.app.endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
    const listed = operations().map(({ method, path }) => `${method} ${path}`);
    expect(routed.filter((route) => !listed.includes(route))).toEqual([]);
  });

  it('declares the internal token for what is behind the internal door, and for nothing else', async () => {
    const { endpoints } = (await freshGateway()).app;
    const inside = endpoints.filter((endpoint) => doorOf(endpoint) === 'internal').map(({ path }) => path);
    const known = operations().filter(({ path }) => endpoints.some((endpoint) => endpoint.path === path));
    expect(known.length).toBeGreaterThan(20);
    for (const { path, operation } of known) {
      const needsToken = operation.security.some((scheme) => Object.hasOwn(scheme, 'internalKey'));
      expect([path, needsToken]).toEqual([path, inside.includes(path)]);
    }
  });

  it('describes every status of POST /webhook', () => {
    expect(Object.keys(description.paths['/webhook']?.post?.responses ?? {})).toEqual([
      '200',
      '202',
      '400',
      '403',
      '409',
      '413',
      '422',
      '429',
      '500',
      '503',
    ]);
  });
});

describe('the running program', () => {
  it('is healthy and ready, and shows its page and its metrics', async () => {
    const health = await (await fetch(`${program.url}/health`)).json();
    expect(health).toMatchObject({ success: true, status: 'healthy', environment: 'development', mode: 'paper' });
    const ready = await (await fetch(`${program.url}/ready`)).json();
    expect(ready).toMatchObject({ success: true, checks: { journal: 'ok', settings: 'ok' } });
    expect((await fetch(`${program.url}/docs`)).status).toBe(200);
    expect(await (await fetch(`${program.url}/metrics`)).text()).toContain('signals_total');
  });

  it('does not start on an open address without tokens, and says why', async () => {
    const child = spawnSignalbox(['start'], { HOST: '0.0.0.0', DATA_DIR: program.dataDir });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).not.toBe(0);
    expect(output).toContain('INTERNAL_TOKEN');
    expect(output).toContain('ADMIN_TOKEN');
  });
});

// SERVICES: a process serves what it is asked to, and nothing else; what it does not serve is not there.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshDataDir, spawnSignalbox } from '../support/process.ts';

const RUN = {
  script: '//@version=6\nindicator("x")\nplot(close)',
  data: [{ time: 60, open: 1, high: 1, low: 1, close: 1 }],
};

async function withServices<T>(services: string, work: (url: string, dataDir: string, greeting: string) => Promise<T>) {
  const dataDir = freshDataDir();
  const child = spawnSignalbox(['start'], { DATA_DIR: dataDir, SERVICES: services });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  while (!output.includes('Data folder:')) {
    if (child.exitCode !== null) throw new Error(`it did not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await work(/listening on (\S+)/.exec(output)?.[1] ?? '', dataDir, output);
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(child.exitCode).toBe(0);
}

const statusOf = async (url: string, path: string, method = 'GET') => {
  const response = await fetch(url + path, { method, ...(method === 'POST' && { body: JSON.stringify(RUN) }) });
  await response.arrayBuffer();
  return response.status;
};

describe('SERVICES', () => {
  it.each([
    ['gateway', { '/run': 404, '/api/run': 404, '/trades': 200 }],
    ['analysis', { '/run': 200, '/api/run': 404, '/trades': 404 }],
    ['scripts', { '/run': 404, '/api/run': 401, '/trades': 404 }],
    ['gateway,analysis,scripts,dashboard', { '/run': 200, '/api/run': 401, '/trades': 200 }],
  ])('%s are what the process serves', async (services, expected) => {
    await withServices(services, async (url, dataDir, greeting) => {
      const found = {
        '/run': await statusOf(url, '/run', 'POST'),
        '/api/run': await statusOf(url, '/api/run', 'POST'),
        '/trades': await statusOf(url, '/trades'),
      };
      expect(found).toEqual(expected);
      expect(await statusOf(url, '/health')).toBe(200);
      expect(await statusOf(url, '/ready')).toBe(200);
      const trades = services.includes('gateway');
      expect(greeting.includes('Trading:')).toBe(trades);
      expect(existsSync(join(dataDir, 'signalbox.db'))).toBe(trades);
      expect(existsSync(join(dataDir, 'scripts.db'))).toBe(services.includes('scripts'));
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
      expect(['/run', '/api/run', '/trades'].filter((path) => Object.hasOwn(paths, path))).toEqual(
        Object.entries(expected).flatMap(([path, status]) => (status === 404 ? [] : [path])),
      );
    });
  });
});

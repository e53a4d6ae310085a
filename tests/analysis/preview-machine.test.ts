// What previews ask of the machine: a library that may be missing, and memory that is given back.

import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_CHART, renderChart } from '../../src/chart/index.ts';
import { openScriptPool } from '../../src/composition/script-pool.ts';
import { barColumns } from '../../src/pine/index.ts';
import { barsOf } from '../../src/services/analysis/testing/analysis-app.ts';
import { bearer, type KeyApp, openKeyApp } from './key-app.ts';

let pool: ReturnType<typeof openScriptPool> | undefined;
let app: KeyApp;
let key: string;

async function open(options: Parameters<typeof openScriptPool>[0]): Promise<void> {
  pool = openScriptPool({ size: 1, timeoutMs: 30_000, memoryMb: 128, ...options });
  app = await openKeyApp('sqlite', { script: pool });
  key = await app.keyWith('free');
}
afterEach(() => pool?.close());

const chart = (body: object = {}) => app.post('/preview/chart', { data: barsOf(60), ...body }, bearer(key));
const SCRIPT = '//@version=6\nindicator("x")\nplot(close)';

describe('a machine without the drawing library', () => {
  it('refuses previews with the remedy, does not count them, and runs scripts', async () => {
    await open({ thread: new URL('./no-canvas-thread.ts', import.meta.url) });
    for (const sent of [
      await chart(),
      await chart({ script: SCRIPT }),
      await app.post('/preview/indicator', { data: barsOf(60), expression: 'close' }, bearer(key)),
    ])
      expect([sent.status, sent.body]).toEqual([
        503,
        {
          status: 'error',
          code: 'UNAVAILABLE',
          message:
            "charts cannot be drawn on this machine: Cannot find module '@napi-rs/canvas'; install the packages anew with npm ci, on this machine",
        },
      ]);
    expect((await app.post('/auth/validate', { api_key: key })).body.tier_info.calls_used).toBe(0);
    expect((await app.post('/run', { data: barsOf(60), script: SCRIPT })).status).toBe(200);
  });
});

describe('the memory of pictures', () => {
  it('is given back at once, before the garbage collector comes', () => {
    const model = { bars: barColumns(barsOf(60)), options: { ...DEFAULT_CHART, width: 1200, height: 600 } };
    const draw = (count: number) => {
      for (let i = 0; i < count; i += 1) renderChart(model);
      return process.memoryUsage.rss() / 2 ** 20;
    };
    const beforeMb = draw(10);
    // The pixels of sixty pictures alone are 165 MB.
    expect(draw(60) - beforeMb).toBeLessThan(80);
  });

  it('is free for the next thread when one is ended in the middle of a picture', async () => {
    await open({ timeoutMs: 1 });
    for (let i = 0; i < 5; i += 1) expect((await chart({ options: { width: 1200, height: 600 } })).status).toBe(408);
    await pool?.close();
    await open({});
    expect((await chart()).status).toBe(200);
  });
});

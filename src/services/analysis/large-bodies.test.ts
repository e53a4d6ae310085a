// The memory that bodies on their way may take together: promised by their length, free again however they end.

import { describe, expect, it } from 'vitest';
import { createFixture } from '../../http/fixture.ts';
import { statusShape } from '../../http/status-shape.ts';
import { ANALYSIS_ERRORS } from './errors.ts';
import { createLargeBodies, LARGE_BODY_LIMIT_BYTES } from './large-bodies.ts';

const MEBIBYTE = 1024 * 1024;

/** An app whose route tells how long its body was; a body is received until its stream is closed. */
function open(maxBytesTogether: number) {
  const { app } = createFixture({ errors: ANALYSIS_ERRORS, shape: statusShape });
  const read = createLargeBodies(async (bytes) => bytes.length, maxBytesTogether);
  app.post('/large', async (c) => c.json({ length: await read(c) }));
  const post = (declared: number | undefined) => {
    let end = (_error?: Error): void => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(10));
        end = (error) => (error === undefined ? controller.close() : controller.error(error));
      },
    });
    const headers: Record<string, string> = declared === undefined ? {} : { 'content-length': String(declared) };
    const init = { method: 'POST', body, headers, duplex: 'half' };
    return { answer: Promise.resolve(app.request('/large', init as RequestInit)), end };
  };
  return { post };
}

describe('bodies on their way', () => {
  it('are refused while those before them may fill the memory, and taken again when one has ended', async () => {
    const { post } = open(10 * MEBIBYTE);
    const [first, second] = [post(5 * MEBIBYTE), post(5 * MEBIBYTE)];
    const refused = await post(1).answer;
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { status: 'error', code: 'BUSY', message: expect.stringMatching(/on their way; try again/) },
    ]);
    expect(refused.headers.get('retry-after')).toBe('2');
    first.end();
    expect((await first.answer).status).toBe(200);
    const third = post(5 * MEBIBYTE);
    for (const one of [second, third]) {
      one.end();
      expect((await one.answer).status).toBe(200);
    }
  });

  it('give their room back when they break off', async () => {
    const { post } = open(10 * MEBIBYTE);
    const broken = post(10 * MEBIBYTE);
    broken.end(new Error('the line is dead'));
    expect((await broken.answer).status).toBe(500);
    const next = post(10 * MEBIBYTE);
    next.end();
    expect((await next.answer).status).toBe(200);
  });

  it.each([undefined, -1, Number.NaN])('count as a quarter of the largest when they declare %s', async (declared) => {
    const { post } = open(LARGE_BODY_LIMIT_BYTES);
    const unknown = [post(declared), post(declared), post(declared), post(declared)];
    expect((await post(1).answer).status).toBe(429);
    for (const { end, answer } of unknown) {
      end();
      expect((await answer).status).toBe(200);
    }
  });

  it('count as no more than is kept of them', async () => {
    const { post } = open(LARGE_BODY_LIMIT_BYTES);
    expect((await post(1e12).answer).status).toBe(413);
    const next = post(LARGE_BODY_LIMIT_BYTES);
    next.end();
    expect((await next.answer).status).toBe(200);
  });
});

// Sessions: what lets in, when the cookie is replaced, what ends one, and that nothing honest is ever thrown out.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GRACE_MS, IDLE_MS, LIFE_MS, ROTATE_AFTER_MS } from './session.ts';
import { Sessions } from './sessions.ts';
import { memoryAccessStore } from './testing/memory-access-store.ts';

const START = 1_700_000_000_000;
const ORIGIN = { address: '203.0.113.7', userAgent: 'Firefox\u001b[31m 🚂' };

function open() {
  const store = memoryAccessStore();
  const clock = { nowMs: START };
  const troubles: string[] = [];
  const parts = { store, nowMs: () => clock.nowMs, randomBytes, onTrouble: (what: string) => void troubles.push(what) };
  void store.change((rows) => rows.putPassword({ hash: 'x' }));
  const sessions = new Sessions(parts);
  const login = () => store.change((rows) => sessions.open(rows, ORIGIN, 'test'));
  const use = (cookie: string, mayRotate = true) => sessions.use(cookie, { address: '203.0.113.8', mayRotate });
  /** What an answer brings, or what is there already. */
  const next = async (cookie: string) => (await use(cookie))?.cookie?.value ?? cookie;
  return { store, clock, troubles, sessions, login, use, next, restart: () => new Sessions(parts) };
}

describe('a session', () => {
  test('lets in whoever has its cookie, and keeps only digests', async () => {
    const { login, use, store } = open();
    const { id, cookie } = await login();
    expect(await use(cookie.value)).toEqual({ id });
    expect(cookie.maxAgeSeconds).toBe(IDLE_MS / 1000);
    const [family = '', secret = ''] = cookie.value.split('.');
    for (const part of [family, secret]) expect(JSON.stringify(store.state)).not.toContain(part);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  });

  test.each(['', '.', 'a.b', 'x'.repeat(66), `${'a'.repeat(22)}.${'b'.repeat(43)}`])(
    '%j lets nobody in',
    async (cookie) => {
      const { login, use, store } = open();
      await login();
      expect(await use(cookie)).toBeUndefined();
      expect(store.state.sessions).toHaveLength(1);
    },
  );

  test('is told with what can be shown in a terminal, used last first', async () => {
    const { login, sessions, clock, use } = open();
    const first = await login();
    clock.nowMs += 120_000;
    const second = await login();
    expect((await sessions.list()).map(({ id }) => id)).toEqual([second.id, first.id]);
    clock.nowMs += 120_000;
    await use(first.cookie.value);
    expect((await sessions.list())[0]).toEqual({
      id: first.id,
      createdAtMs: START,
      lastUsedAtMs: clock.nowMs,
      endsAtMs: clock.nowMs + IDLE_MS,
      address: '203.0.113.8',
      userAgent: 'Firefox[31m ',
    });
  });

  test('is not worth a write more often than once a minute', async () => {
    const { login, use, store, clock } = open();
    const { cookie } = await login();
    const before = store.state.sessions;
    clock.nowMs += 59_000;
    await use(cookie.value);
    expect(store.state.sessions).toBe(before);
    clock.nowMs += 1000;
    await use(cookie.value);
    expect(store.state.sessions).not.toBe(before);
  });

  test('ends a week after its last use, and after thirty days anyhow', async () => {
    const idle = open();
    const { cookie } = await idle.login();
    idle.clock.nowMs += IDLE_MS - 1;
    expect(await idle.use(cookie.value)).toBeDefined();
    const busy = open();
    let value = (await busy.login()).cookie.value;
    for (let day = 0; day < 29; day++) {
      busy.clock.nowMs += 24 * 3_600_000;
      expect(await busy.use(value)).toBeDefined();
      value = await busy.next(value);
    }
    busy.clock.nowMs = START + LIFE_MS - 1;
    expect(await busy.use(value)).toBeDefined();
    busy.clock.nowMs += 1;
    expect(await busy.use(value)).toBeUndefined();
    expect(busy.store.state.sessions).toEqual([]);
    idle.clock.nowMs += IDLE_MS;
    expect(await idle.use(cookie.value)).toBeUndefined();
  });

  test('counts for nothing where the password is gone', async () => {
    const { login, use, store } = open();
    const { cookie } = await login();
    await store.change((rows) => rows.putPassword(undefined));
    expect(await use(cookie.value)).toBeUndefined();
  });

  test('is one of fifty: the one that was not used for longest makes room, and those that have ended', async () => {
    const { login, sessions, use, clock } = open();
    const all: Awaited<ReturnType<typeof login>>[] = [];
    while (all.length < 50) {
      clock.nowMs += 1000;
      all.push(await login());
    }
    clock.nowMs += 60_000;
    await use(all[0]?.cookie.value ?? '');
    await login();
    expect(await sessions.list()).toHaveLength(50);
    expect(await use(all[0]?.cookie.value ?? '')).toBeDefined();
    expect(await use(all[1]?.cookie.value ?? '')).toBeUndefined();
    expect(await use(all[2]?.cookie.value ?? '')).toBeDefined();
  });
});

describe('ending', () => {
  test('one, all others, or all; each is in the audit', async () => {
    const { login, sessions, use, store } = open();
    const [one, two, three] = [await login(), await login(), await login()];
    expect((await sessions.end(two.id, 'owner')).id).toBe(two.id);
    expect(await use(two.cookie.value)).toBeUndefined();
    await expect(sessions.end(two.id, 'owner')).rejects.toThrow('GET /sessions');
    expect((await sessions.endOthers(one.id, 'owner')).map(({ id }) => id)).toEqual([three.id]);
    expect(await use(one.cookie.value)).toBeDefined();
    expect(await sessions.endOthers(undefined, 'owner')).toHaveLength(1);
    expect(await sessions.list()).toEqual([]);
    const ends = store.state.audit.filter(({ after }) => after === null);
    expect(ends.map(({ before }) => JSON.parse(before ?? '').id)).toEqual([two.id, three.id, one.id]);
    expect(new Set(store.state.audit.map(({ actor }) => actor))).toEqual(new Set(['test', 'owner']));
  });
});

describe('the cookie', () => {
  test('is replaced after a quarter of an hour of use, by another one', async () => {
    const { login, use, clock } = open();
    const { cookie } = await login();
    clock.nowMs += ROTATE_AFTER_MS - 1;
    expect((await use(cookie.value))?.cookie).toBeUndefined();
    clock.nowMs += 1;
    const next = (await use(cookie.value))?.cookie?.value;
    expect(next).toMatch(/^[\w-]{22}\.[\w-]{43}$/);
    expect(next).not.toBe(cookie.value);
    expect(await use(next ?? '')).toBeDefined();
  });

  test('is not replaced where an answer cannot bring a new one', async () => {
    const { login, use, clock, store } = open();
    const { cookie } = await login();
    clock.nowMs += ROTATE_AFTER_MS;
    expect(await use(cookie.value, false)).toMatchObject({ id: expect.any(String) });
    expect(store.state.sessions[0]?.previousDigest).toBeUndefined();
  });

  test('of before lets in until the new one is shown, and brings the same new one to each who asks', async () => {
    const { login, use, clock } = open();
    const { cookie } = await login();
    clock.nowMs += ROTATE_AFTER_MS;
    const used = await Promise.all(Array.from({ length: 5 }, () => use(cookie.value)));
    const answers = used.map((each) => each?.cookie?.value);
    expect(new Set(answers).size).toBe(1);
    // All of them were lost, and the laptop was shut.
    clock.nowMs += 24 * 3_600_000;
    const later = (await use(cookie.value))?.cookie?.value;
    expect(later).toBe(answers[0]);
    expect(await use(later ?? '')).toBeDefined();
  });

  test('of before lets in for a minute after that, and is given no new one then', async () => {
    const { login, use, next, clock } = open();
    const { cookie } = await login();
    clock.nowMs += ROTATE_AFTER_MS;
    await use(await next(cookie.value));
    clock.nowMs += GRACE_MS - 1;
    expect(await use(cookie.value)).toEqual({ id: expect.any(String) });
  });

  test.each([
    [true, false],
    [false, true],
  ])(
    'is kept by two who came with the one before at the same moment, whoever is written down last: %s, %s',
    async (...mayRotate) => {
      const { login, use, clock } = open();
      const { cookie } = await login();
      clock.nowMs += ROTATE_AFTER_MS;
      // The handshake of a socket cannot bring a new cookie; the page beside it can.
      const both = await Promise.all(mayRotate.map((may) => use(cookie.value, may)));
      const [brought, ...more] = both.flatMap((used) => used?.cookie?.value ?? []);
      expect(more).toEqual([]);
      expect(await use(brought ?? '')).toBeDefined();
    },
  );

  test('of before ends the session for everybody when it turns up later: somebody has copied it', async () => {
    const { login, use, next, clock, store } = open();
    const { cookie, id } = await login();
    clock.nowMs += ROTATE_AFTER_MS;
    const newer = await next(cookie.value);
    await use(newer);
    clock.nowMs += GRACE_MS;
    expect(await use(cookie.value)).toBeUndefined();
    expect(await use(newer)).toBeUndefined();
    expect(store.state.audit.at(-1)).toMatchObject({ actor: 'session 203.0.113.8', setting: 'session' });
    expect(JSON.parse(store.state.audit.at(-1)?.before ?? '').id).toBe(id);
    expect(store.state.audit.at(-1)?.after).toContain('copied');
  });

  test('that is two or more replacements old ends it too', async () => {
    const { login, use, next, clock, store } = open();
    let value = (await login()).cookie.value;
    const first = value;
    for (let times = 0; times < 3; times++) {
      clock.nowMs += ROTATE_AFTER_MS;
      value = await next(value);
      await use(value);
    }
    expect(await use(first)).toBeUndefined();
    expect(await use(value)).toBeUndefined();
    expect(store.state.audit.at(-1)?.after).toContain('copied');
  });

  test('cannot be worked out from an older one and what is on disk without the secret between', async () => {
    const { login, next, clock, store } = open();
    let value = (await login()).cookie.value;
    clock.nowMs += ROTATE_AFTER_MS;
    value = await next(value);
    const disk = JSON.stringify(store.state);
    expect(disk).not.toContain(value.split('.')[1]);
  });

  test('still lets in while nothing can be written down, and is not replaced then', async () => {
    const { login, use, clock, store, troubles } = open();
    const { cookie } = await login();
    store.isFull = true;
    clock.nowMs += ROTATE_AFTER_MS;
    expect(await use(cookie.value)).toEqual({ id: expect.any(String) });
    expect(troubles).toEqual(['the use of a session could not be written down']);
    store.isFull = false;
    expect((await use(cookie.value))?.cookie).toBeDefined();
  });

  test('that was copied is refused also while its end cannot be written down', async () => {
    const { login, use, next, clock, store } = open();
    const { cookie } = await login();
    clock.nowMs += ROTATE_AFTER_MS;
    await use(await next(cookie.value));
    clock.nowMs += GRACE_MS;
    store.isFull = true;
    expect(await use(cookie.value)).toBeUndefined();
  });
});

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      ms: fc.constantFrom(SECOND, 20 * SECOND, 5 * MINUTE, 16 * MINUTE, DAY, 6.9 * DAY, 7.1 * DAY),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constant('ask' as const),
      /** Of the request, and of its answer, which may get lost. */
      wayMs: fc.constantFrom(0, 0, SECOND, 25 * SECOND),
      backMs: fc.constantFrom(0, 0, SECOND, 25 * SECOND, undefined),
      mayRotate: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constantFrom('revoke' as const, 'restart' as const, 'fill' as const, 'steal' as const),
    }),
  },
);

test('whatever comes between: one that has ended never lets in, and a living one never throws its browser out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const world = open();
      const { clock, store } = world;
      let { sessions } = world;
      const opened = await world.login();
      let jar = opened.cookie.value;
      let isEnded = false;
      let lastUsedMs = clock.nowMs;
      let underWay: { atMs: number; arrive: () => void | Promise<void> }[] = [];
      const seen = new Set([jar]);
      const later = (ms: number, arrive: () => void | Promise<void>) =>
        underWay.push({ atMs: clock.nowMs + ms, arrive });
      const mayBeOver = () => clock.nowMs >= Math.min(START + LIFE_MS, lastUsedMs + IDLE_MS - MINUTE);
      const mustBeOver = () => clock.nowMs >= Math.min(START + LIFE_MS, lastUsedMs + IDLE_MS);
      const arrive = async (cookie: string, backMs: number | undefined, mayRotate: boolean) => {
        const used = await sessions.use(cookie, { address: '203.0.113.7', mayRotate });
        if (isEnded || mustBeOver()) expect(used).toBeUndefined();
        else if (!mayBeOver()) expect(used).toBeDefined();
        if (used === undefined) isEnded = true;
        // What cannot be written down is not remembered as a use.
        else if (!store.isFull) lastUsedMs = clock.nowMs;
        const value = used?.cookie?.value;
        if (value === undefined) return;
        seen.add(value);
        if (backMs === undefined) return;
        later(backMs, () => {
          jar = value;
        });
      };
      const passTime = async (ms: number) => {
        const endMs = clock.nowMs + ms;
        for (;;) {
          const next = underWay.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
          if (next === undefined) break;
          underWay = underWay.filter((each) => each !== next);
          clock.nowMs = Math.max(clock.nowMs, next.atMs);
          await next.arrive();
        }
        clock.nowMs = endMs;
      };
      for (const each of steps) {
        if (each.does === 'wait') await passTime(each.ms);
        else if (each.does === 'ask') {
          const [cookie, { backMs, mayRotate }] = [jar, each];
          later(each.wayMs, () => arrive(cookie, backMs, mayRotate));
          await passTime(0);
        } else if (each.does === 'restart') sessions = world.restart();
        else if (each.does === 'fill') store.isFull = !store.isFull;
        else if (each.does === 'revoke' && !isEnded && !store.isFull) {
          await sessions.endOthers(undefined, 'owner');
          isEnded = true;
        } else if (each.does === 'steal' && isEnded) {
          for (const cookie of seen)
            expect(await sessions.use(cookie, { address: 'x', mayRotate: true })).toBeUndefined();
        }
      }
      await passTime(MINUTE);
      expect(store.state.sessions.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 2000 },
  );
});

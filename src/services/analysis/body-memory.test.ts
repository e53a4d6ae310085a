// The memory of bodies: bounds by class and by caller, and room that is free again however a request ends.

import { describe, expect, it } from 'vitest';
import type { Caller } from '../../library/request-runner.ts';
import { BodyMemory, LARGE_BODY_LIMIT_BYTES } from './body-memory.ts';

const MEBIBYTE = 1024 * 1024;
const TOTAL = 64 * MEBIBYTE;
const stranger = (id: string): Caller => ({ class: 'anonymous', id });
const keyed: Caller = { class: 'keyed', id: 'key' };

describe('on a machine of 1 GiB', () => {
  it('one address has room for one of the largest bodies, and strangers together for two', () => {
    const bytes = new BodyMemory(TOTAL);
    expect(bytes.hold(stranger('a')).resize(LARGE_BODY_LIMIT_BYTES)).toBe(true);
    expect(bytes.hold(stranger('a')).resize(1)).toBe(false);
    expect(bytes.hold(stranger('b')).resize(LARGE_BODY_LIMIT_BYTES)).toBe(true);
    expect(bytes.hold(stranger('c')).resize(1)).toBe(false);
  });

  it('what strangers hold takes nothing from keys and editors', () => {
    const bytes = new BodyMemory(TOTAL);
    for (const id of ['a', 'b']) bytes.hold(stranger(id)).resize(LARGE_BODY_LIMIT_BYTES);
    expect(bytes.hold(keyed).resize(LARGE_BODY_LIMIT_BYTES)).toBe(true);
    expect(bytes.hold({ class: 'editor', id: 'a' }).resize(4 * MEBIBYTE)).toBe(true);
  });

  it('no number of callers holds more than the whole', () => {
    const bytes = new BodyMemory(TOTAL);
    let held = 0;
    for (const name of ['anonymous', 'keyed', 'editor', 'own'] as const)
      for (let id = 0; id < 1000; id += 1) if (bytes.hold({ class: name, id: `${id}` }).resize(MEBIBYTE)) held += 1;
    expect(held).toBe(64);
  });
});

describe('a body', () => {
  it('that grows beyond the room is refused, and keeps what it had until it is let go', () => {
    const bytes = new BodyMemory(TOTAL);
    const hold = bytes.hold(stranger('a'));
    expect([hold.resize(10 * MEBIBYTE), hold.resize(17 * MEBIBYTE)]).toEqual([true, false]);
    expect(bytes.hold(stranger('a')).resize(7 * MEBIBYTE)).toBe(false);
    hold.release();
    hold.release();
    expect(bytes.hold(stranger('a')).resize(16 * MEBIBYTE)).toBe(true);
  });

  it('may always shrink', () => {
    const bytes = new BodyMemory(TOTAL);
    const hold = bytes.hold(stranger('a'));
    hold.resize(16 * MEBIBYTE);
    expect(hold.resize(MEBIBYTE)).toBe(true);
    expect(bytes.hold(stranger('a')).resize(15 * MEBIBYTE)).toBe(true);
  });
});

// One at a time: order, failures, and when a queue is empty.

import { describe, expect, it } from 'vitest';
import { SerialQueue, SerialQueues } from './serial-queue.ts';

/** Work that ends when the test says so, and notes in `log` when it begins and ends. */
function piece(name: string, log: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async (): Promise<string> => {
    log.push(`${name} begins`);
    await promise;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end: resolve };
}

describe('a serial queue', () => {
  it('begins a piece when the one before it has ended', async () => {
    const log: string[] = [];
    const [first, second] = [piece('first', log), piece('second', log)];
    const queue = new SerialQueue();
    const results = [queue.run(first.work), queue.run(second.work)];
    second.end();
    await Promise.resolve();
    expect(queue.size).toBe(2);
    first.end();
    await expect(Promise.all(results)).resolves.toEqual(['first', 'second']);
    expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('tells a failure to its own caller and goes on, also when the work throws at once', async () => {
    const queue = new SerialQueue();
    const failing = queue.run(() => {
      throw new Error('broken');
    });
    const after = queue.run(() => 'fine');
    await expect(failing).rejects.toThrow('broken');
    await expect(after).resolves.toBe('fine');
  });

  it('is idle when nothing runs or waits, also not what was added meanwhile', async () => {
    const queue = new SerialQueue();
    let isDone = false;
    void queue.run(async () => {
      void queue.run(async () => {
        isDone = true;
      });
    });
    await queue.idle();
    expect(isDone).toBe(true);
    expect(queue.size).toBe(0);
  });
});

describe('serial queues by name', () => {
  it('run names side by side and each name in order', async () => {
    const log: string[] = [];
    const [a, b, c] = [piece('a', log), piece('b', log), piece('c', log)];
    const queues = new SerialQueues();
    const results = [queues.run('x', a.work), queues.run('x', b.work), queues.run('y', c.work)];
    c.end();
    await results[2];
    expect(log).toEqual(['a begins', 'c begins', 'c ends']);
    expect([queues.size('x'), queues.size('z')]).toEqual([2, 0]);
    a.end();
    b.end();
    await queues.idle();
    expect(log.slice(3)).toEqual(['a ends', 'b begins', 'b ends']);
    expect([queues.size('x'), queues.size('y')]).toEqual([0, 0]);
  });

  it('keep a name in order although the piece before has failed', async () => {
    const queues = new SerialQueues();
    const failing = queues.run('x', () => Promise.reject(new Error('broken')));
    const after = queues.run('x', () => 'fine');
    await expect(failing).rejects.toThrow('broken');
    await expect(after).resolves.toBe('fine');
  });
});

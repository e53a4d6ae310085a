// Functions called between two processes: results, faults with their fields, and an end that nobody waits for in vain.

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { connectProcess, type MessagePort } from './process-channel.ts';

type Calls = {
  add(a: number, b: number): number;
  fail(): never;
  never(): Promise<void>;
};

/** Two ports whose messages are copied, as between processes. */
function ports() {
  const [a, b] = [new EventEmitter(), new EventEmitter()];
  const port = (own: EventEmitter, other: EventEmitter) =>
    Object.assign(own, {
      send(message: object, callback: (error: Error | null) => void) {
        const copy = structuredClone(message);
        setImmediate(() => {
          other.emit('message', copy);
          callback(null);
        });
        return true;
      },
    }) as MessagePort & EventEmitter;
  return [port(a, b), port(b, a)] as const;
}

const calls: Calls = {
  add: (a, b) => a + b,
  fail: () => {
    throw Object.assign(new Error('not now'), { retryable: true, retryAfterMs: 5, inner: { secret: () => {} } });
  },
  never: () => new Promise(() => {}),
};

test('calls are answered, side by side and in both directions', async () => {
  const [here, there] = ports();
  const theirs = connectProcess<Calls>(here, { add: (a: number) => a });
  const ours = connectProcess<Pick<Calls, 'add'>>(there, calls);
  expect(await Promise.all([theirs.add(1, 2), theirs.add(3, 4), ours.add(7, 9)])).toEqual([3, 7, 7]);
});

test('a fault comes back as an error with its words and plain fields', async () => {
  const [here, there] = ports();
  const theirs = connectProcess<Calls>(here, {});
  connectProcess(there, calls);
  const fault = await theirs.fail().catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(Error);
  expect(fault).toMatchObject({ message: 'not now', retryable: true, retryAfterMs: 5 });
  expect(fault).not.toHaveProperty('inner');
});

test('whoever waits when the other process ends is told', async () => {
  const [here, there] = ports();
  const theirs = connectProcess<Calls>(here, {});
  connectProcess(there, calls);
  const asked = theirs.never();
  setImmediate(() => here.emit('disconnect'));
  await expect(asked).rejects.toThrow('the other process has ended');
});

test('a call to a process that is gone is refused at once', async () => {
  const gone = { on: () => {} } as MessagePort;
  await expect(connectProcess<Calls>(gone, {}).add(1, 2)).rejects.toThrow('has ended');
});

// Guessing a token: thirty quick tries a minute for an address, then every token from it waits a second, side by side.
import { expect, test } from 'vitest';
import { createGuessLimit } from './guess-limit.ts';

/** Time that passes only when the test says so; a sleep ends when its time has come. */
function fixture() {
  let nowMs = 0;
  let compared = 0;
  const sleeping: { readonly untilMs: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => sleeping.push({ untilMs: nowMs + ms, wake }));
  const limit = createGuessLimit({ monotonicMs: () => nowMs, sleep });
  const guess = (isRight: boolean, address = 'a') =>
    limit.isRight(address, () => {
      compared += 1;
      return isRight;
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number): Promise<void> => {
    await settle();
    nowMs += ms;
    for (const due of sleeping.filter(({ untilMs }) => untilMs <= nowMs)) {
      sleeping.splice(sleeping.indexOf(due), 1);
      due.wake();
    }
    await settle();
  };
  return { guess, pass, compared: () => compared, sleeping };
}

test('a thousand guesses at once compare thirty; the others are looked at a second later', async () => {
  const { guess, pass, compared } = fixture();
  const verdicts = Array.from({ length: 1000 }, () => guess(false));
  await pass(999);
  expect(compared()).toBe(30);
  await pass(1);
  expect(compared()).toBe(1000);
  expect(await Promise.all(verdicts)).toEqual(Array(1000).fill(false));
});

test('the right token passes after a second, however many guesses wait beside it', async () => {
  const { guess, pass } = fixture();
  for (let i = 0; i < 30; i += 1) await guess(false);
  const guesses = Array.from({ length: 1000 }, () => guess(false));
  const right = guess(true);
  expect(await guess(true, 'b')).toBe(true);
  await pass(999);
  expect(await Promise.race([right, 'still waiting'])).toBe('still waiting');
  await pass(1);
  expect(await right).toBe(true);
  expect(await Promise.all(guesses)).toEqual(Array(1000).fill(false));
});

test('after a quiet minute an address is quick again', async () => {
  const { guess, pass, sleeping } = fixture();
  for (let i = 0; i < 30; i += 1) await guess(false);
  await pass(60_000);
  for (let i = 0; i < 30; i += 1) expect(await guess(false)).toBe(false);
  expect(sleeping).toHaveLength(0);
});

test('right tokens are never counted', async () => {
  const { guess, sleeping } = fixture();
  for (let i = 0; i < 100; i += 1) expect(await guess(true)).toBe(true);
  expect(sleeping).toHaveLength(0);
});

// Guessing a token: thirty quick tries a minute for an address, then one every half second, and a bounded queue.
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
    limit.judge(address, () => {
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

test('a thousand guesses at once compare thirty; twenty more wait, and the rest is not looked at', async () => {
  const { guess, pass, compared, sleeping } = fixture();
  const verdicts = Array.from({ length: 1000 }, () => guess(false));
  await pass(0);
  expect(compared()).toBe(30);
  expect(sleeping).toHaveLength(1);
  await expect(Promise.all(verdicts.slice(50))).resolves.toEqual(Array(950).fill({ retryAfterS: 10 }));
  for (let turn = 1; turn <= 20; turn += 1) {
    await pass(499);
    expect(compared()).toBe(30 + turn - 1);
    await pass(1);
    expect(compared()).toBe(30 + turn);
  }
  await expect(Promise.all(verdicts.slice(0, 50))).resolves.toEqual(Array(50).fill('wrong'));
});

test('the right token waits its turn behind the guesses, and others do not wait for them', async () => {
  const { guess, pass } = fixture();
  for (let i = 0; i < 30; i += 1) await guess(false);
  const wrong = guess(false);
  const right = guess(true);
  expect(await guess(true, 'b')).toBe('right');
  await pass(500);
  expect(await wrong).toBe('wrong');
  expect(await Promise.race([right, 'still waiting'])).toBe('still waiting');
  await pass(500);
  expect(await right).toBe('right');
});

test('a slowed address does not wait for the guesses of another', async () => {
  const { guess, pass } = fixture();
  for (let i = 0; i < 30; i += 1) await Promise.all([guess(false), guess(false, 'b')]);
  const guesses = Array.from({ length: 20 }, () => guess(false));
  const right = guess(true, 'b');
  await pass(500);
  expect(await Promise.race([right, 'still waiting'])).toBe('right');
  for (let turn = 1; turn < 20; turn += 1) await pass(500);
  expect(await Promise.all(guesses)).toEqual(Array(20).fill('wrong'));
});

test('after a quiet minute an address is quick again', async () => {
  const { guess, pass, sleeping } = fixture();
  for (let i = 0; i < 30; i += 1) await guess(false);
  await pass(60_000);
  for (let i = 0; i < 30; i += 1) expect(await guess(false)).toBe('wrong');
  expect(sleeping).toHaveLength(0);
});

test('right tokens are never counted', async () => {
  const { guess, sleeping } = fixture();
  for (let i = 0; i < 100; i += 1) expect(await guess(true)).toBe('right');
  expect(sleeping).toHaveLength(0);
});

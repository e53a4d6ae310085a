// Time that runs faster than it does: minutes in which a venue must be waited for pass in seconds, for all processes of a test alike.

/** As fast as a busy machine still answers within the time that venues give a request. */
const SPEED = 10;

const realNow = Date.now;

/** The fast clock that began at this real moment. */
export const fastClock = (epochMs: number) => (): number => epochMs + (realNow() - epochMs) * SPEED;

/** How long it takes until so much fast time has passed. */
export const realMs = (fastMs: number): number => fastMs / SPEED;

/** Makes every clock and timer of this process fast. Call it before anything else is loaded. */
export function hurryProcess(epochMs: number): void {
  const { setTimeout: after, setInterval: every } = globalThis;
  const monotonic = performance.now.bind(performance);
  Date.now = fastClock(epochMs);
  performance.now = () => monotonic() * SPEED;
  // Both have a form for promises besides, which nobody in the product uses.
  globalThis.setTimeout = ((work: () => void, ms = 0, ...given: []) =>
    after(work, realMs(ms), ...given)) as typeof setTimeout;
  globalThis.setInterval = ((work: () => void, ms = 0, ...given: []) =>
    every(work, realMs(ms), ...given)) as typeof setInterval;
}

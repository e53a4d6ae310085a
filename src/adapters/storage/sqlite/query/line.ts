// A line of bounded length and bounded patience: one goes in, the others wait in order of arrival.

export type Turn = { readonly ok: true; leave(): void } | { readonly ok: false; readonly reason: string };

export interface Line {
  enter(): Promise<Turn>;
}

export function createLine({ maxWaiting, maxWaitMs }: { maxWaiting: number; maxWaitMs: number }): Line {
  const waiting = new Set<() => void>();
  let busy = false;

  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) busy = false;
    else next();
  };
  const take = (): Turn => {
    let left = false;
    return {
      ok: true,
      leave() {
        if (!left) leave();
        left = true;
      },
    };
  };

  return {
    async enter() {
      if (!busy) {
        busy = true;
        return take();
      }
      if (waiting.size >= maxWaiting)
        return { ok: false, reason: `${maxWaiting} queries wait already; try again soon` };
      return new Promise((resolve) => {
        const called = (): void => settle(take());
        const timer = setTimeout(() => {
          settle({ ok: false, reason: `waited ${maxWaitMs} ms for other queries; try again soon` });
        }, maxWaitMs);
        const settle = (turn: Turn): void => {
          clearTimeout(timer);
          waiting.delete(called);
          resolve(turn);
        };
        waiting.add(called);
      });
    },
  };
}

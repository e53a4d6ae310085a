// The signals that tell a process to stop.

export interface StopSignal {
  /** The name of the signal, once it has come. */
  received(): string | undefined;
  readonly whenReceived: Promise<string>;
}

/** The handlers stay: npm and a terminal may send the same signal twice, and the second must not cut the drain short. */
export function watchStopSignals(): StopSignal {
  let name: string | undefined;
  const whenReceived = new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        name ??= signal;
        resolve(name);
      });
  });
  return { received: () => name, whenReceived };
}

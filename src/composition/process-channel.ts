// Two processes of ours call each other's functions: a message out, its answer back, faults as errors.

/** What a process has for the one that started it, and a started process for its parent. */
export interface MessagePort {
  send?(message: object, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** The functions that one side offers. Their arguments and results are copied, so they hold data and nothing else. */
export type Procedures = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The functions of the other side, seen from here. */
export type Remote<P extends Procedures> = {
  readonly [Name in keyof P]: (...args: Parameters<P[Name]>) => Promise<Awaited<ReturnType<P[Name]>>>;
};

interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** Besides its words an error keeps its own fields: whether to try again, and when. */
type Answer = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly fault: { readonly message: string } }
);

/** Nothing can be asked of the other side any more. */
export class ProcessGone extends Error {
  constructor(options?: ErrorOptions) {
    super('the other process has ended', options);
    this.name = 'ProcessGone';
  }
}

export function connectProcess<Theirs extends Procedures>(port: MessagePort, ours: Procedures): Remote<Theirs> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  const send = (message: Call | Answer): void => {
    // Whoever is gone needs no answer; a call to it is rejected when its end is noticed.
    port.send?.(message, () => {});
  };

  const call = (name: string, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      const isSent = port.send?.({ id, name, args } satisfies Call, (error) => {
        if (error === null || !waiting.delete(id)) return;
        reject(new ProcessGone({ cause: error }));
      });
      if (isSent === undefined && waiting.delete(id)) reject(new ProcessGone());
    });

  const answer = async ({ id, name, args }: Call): Promise<void> => {
    try {
      const value = await ours[name]?.(...(args as never[]));
      send({ id, value });
    } catch (error) {
      const { message, ...fields } = error as Error;
      send({ id, fault: { ...plain(fields), message: message ?? String(error) } });
    }
  };

  port.on('message', (message) => {
    if (isCall(message)) return void answer(message);
    const { id, ...outcome } = message as Answer;
    const caller = waiting.get(id);
    waiting.delete(id);
    if ('fault' in outcome) caller?.reject(Object.assign(new Error(outcome.fault.message), outcome.fault));
    else caller?.resolve(outcome.value);
  });
  port.on('disconnect', () => {
    for (const { reject } of waiting.values()) reject(new ProcessGone());
    waiting.clear();
  });

  return new Proxy({} as Remote<Theirs>, {
    get: (_, name) => (name === 'then' ? undefined : (...args: unknown[]) => call(String(name), args)),
  });
}

const isCall = (message: unknown): message is Call =>
  typeof message === 'object' && message !== null && 'name' in message;

/** Only what can be copied. */
const plain = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)),
  );

// A value that is there at once, or later: what has it already goes on without a pause, in the same turn of the event loop.

export type MaybePromise<T> = T | Promise<T>;

/** Goes on with the value: at once where it is there, and when it comes where it is not. */
export function whenKnown<T, R>(value: MaybePromise<T>, next: (value: T) => Promise<R>): Promise<R>;
export function whenKnown<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R>;
export function whenKnown<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

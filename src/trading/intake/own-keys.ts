// How long the idempotency keys of the owner's own orders and closes count. The dashboard sends what had no answer again under its key,
// for a day after its last try, and says that it is done once: a shorter window of senders must not make that untrue.

const AT_LEAST_MS = 2 * 86_400_000;

export const windowOfOwnKeys = (idempotencyWindowMs: number): number => Math.max(AT_LEAST_MS, idempotencyWindowMs);

// The clocks that the composition hands to everything else.

export const nowMs = (): number => Date.now();
export const monotonicMs = (): number => performance.now();

// Lets signals into their lanes in the order of their acceptance, whatever their way from the journal to the lane was.
//
// Signals whose acceptance reached the disk with one commit are told so in one turn of the event loop, in order. Some
// then take a few steps more than others (a signal with a stop, a mail), and would come second although they were
// accepted first. All those steps end within that turn, so whoever enters at its end can be sorted.

/** Calls `enter` within this turn of the event loop, the smallest `seq` of the turn first. */
export type ArrivalOrder = (seq: number, enter: () => void) => void;

export function createArrivalOrder(): ArrivalOrder {
  let arrivals: { readonly seq: number; readonly enter: () => void }[] = [];
  const enterAll = (): void => {
    const all = arrivals;
    arrivals = [];
    if (all.length > 1) all.sort((a, b) => a.seq - b.seq);
    for (const { enter } of all) enter();
  };
  return (seq, enter) => {
    if (arrivals.push({ seq, enter }) === 1) process.nextTick(enterAll);
  };
}

// Who asks for a run, so that everybody gets a fair share of the threads.

/**
 * Whose request it is. Each class has its own share of threads, of places in the queue and of memory, so that no flood
 * of one can keep another waiting: own are the house's (its agent, its deployments), keyed those with a proven key,
 * editor those of somebody who types, search the backtests of somebody's search, anonymous everybody else.
 */
export type CallerClass = 'own' | 'keyed' | 'anonymous' | 'editor' | 'search';

export interface Caller {
  readonly class: CallerClass;
  /** Who it is within the class: an address, or the owner of a key. */
  readonly id: string;
}

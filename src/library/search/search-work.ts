// A search as a job that runs beside requests.

import { Search } from './search.ts';
import { bestSoFar, searchAnswer } from './search-answer.ts';
import type { LongWork } from './search-jobs.ts';
import type { SearchPlan } from './search-plan.ts';

export function searchWork(plan: SearchPlan): LongWork {
  const search = new Search(plan);
  return {
    get progress() {
      return search.progress;
    },
    get stopped() {
      return search.stopped;
    },
    set stopped(reason) {
      search.stopped = reason;
    },
    run: (deps) => search.run(deps),
    best: () => bestSoFar(search),
    answer: () => searchAnswer(search),
  };
}

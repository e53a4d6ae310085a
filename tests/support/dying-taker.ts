// Takes jobs out of the queue in Redis in a process of its own, and dies of each: no lock is given back, nobody is told.

import { takeBacktests } from '../../src/adapters/storage/redis/backtests/take-backtests.ts';

const [url = '', prefix = ''] = process.argv.slice(2);

await takeBacktests({
  ...{ url, prefix, threads: 1, callerOf: () => undefined, onFault: () => {} },
  runner: {
    backtests() {
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    },
  },
});

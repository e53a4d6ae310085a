// The EVM node of the wallet tests: a block for every transaction at once, and answers as nodes of real networks give them.
export default {
  networks: {
    node: {
      type: 'edr-simulated',
      chainType: 'l1',
      accounts: { count: 6 },
      mining: { auto: true },
      // A transaction that reverts gets its block and its receipt; sending it is no error.
      throwOnTransactionFailures: false,
    },
  },
  // It writes what it compiles, which is nothing, into folders that the test gives it.
  paths: { cache: `${process.env.HOME}/cache`, artifacts: `${process.env.HOME}/artifacts` },
};

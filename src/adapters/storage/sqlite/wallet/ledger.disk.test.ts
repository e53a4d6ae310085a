// The wallet's ledger on SQLite keeps the promises of its port, written by the thread of the journal.

import { describeWalletLedger } from '../../../../../tests/ports/wallet-ledger-suite.ts';
import { openTestData } from '../testing/open-test-storage.ts';

describeWalletLedger("the wallet's ledger on SQLite", async () => {
  const { data, reopen, close } = await openTestData();
  return { ledger: data.walletLedger, reopen: async () => (await reopen()).walletLedger, close };
});

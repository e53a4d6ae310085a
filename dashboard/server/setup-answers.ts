// The answers that the pages of "Set up" show, by the schemas of the services.

import type { z } from 'zod';
import type { accountSchema } from '../../src/services/gateway/accounts.ts';
import type {
  accountCheckSchema,
  addedAccountSchema,
  knownAccountsSchema,
  newAccountSchema,
  testedAccountSchema,
} from '../../src/services/gateway/admin-account-schemas.ts';
import type { backupSchema, backupsSchema } from '../../src/services/gateway/admin-backups.ts';
import type { keyUsageSchema } from '../../src/services/gateway/admin-key-usage.ts';
import type { reachSchema } from '../../src/services/gateway/admin-reach.ts';
import type { auditSchema, issuedKeySchema, keySchema } from '../../src/services/gateway/admin-schemas.ts';
import type { settingsSchema } from '../../src/services/gateway/admin-settings.ts';
import type { mappedSymbolSchema } from '../../src/services/gateway/admin-symbol-map.ts';
import type { agentStatusSchema, agentUsageViewSchema } from '../../src/services/gateway/agent-schemas.ts';
import type { notifierSchema, testedNotifierSchema } from '../../src/services/gateway/notifiers.ts';
import type { queryAnswerSchema, queryTableSchema } from '../../src/services/gateway/query-schemas.ts';
import type { reconciliationSchema } from '../../src/services/gateway/reconciliation.ts';
import type { restrictionSchema, tradeLimitsSchema } from '../../src/services/gateway/restriction-schemas.ts';
import type {
  balanceResultSchema,
  quoteResultSchema,
  statusResultSchema,
  transactionSchema,
} from '../../src/services/gateway/wallet-schemas.ts';

export type { Checked } from '../../src/services/gateway/check-schemas.ts';
export type WebhookKey = z.infer<typeof keySchema>;
export type IssuedKey = z.infer<typeof issuedKeySchema>;
export type Restriction = z.infer<typeof restrictionSchema>;
export type TradeLimits = z.infer<typeof tradeLimitsSchema>;
export type MadeBackup = z.infer<typeof backupSchema>;
export type Backups = z.infer<typeof backupsSchema>;
export type KeyUsage = z.infer<typeof keyUsageSchema>;
export type Reach = z.infer<typeof reachSchema>;
export type MappedSymbol = z.infer<typeof mappedSymbolSchema>;
export type ListedAccount = z.infer<typeof accountSchema>;
export type KnownAccounts = z.infer<typeof knownAccountsSchema>;
export type TestedAccount = z.infer<typeof testedAccountSchema>;
export type NewAccount = z.input<typeof newAccountSchema>;
export type AddedAccount = z.infer<typeof addedAccountSchema>;
export type AccountCheck = z.infer<typeof accountCheckSchema>;
export type Reconciliation = z.infer<typeof reconciliationSchema>;
export type Setting = z.infer<typeof settingsSchema>[number];
export type Notifier = z.infer<typeof notifierSchema>;
export type TestedNotifier = z.infer<typeof testedNotifierSchema>;
export type AuditEntry = z.infer<typeof auditSchema>;
export type QueryTable = z.infer<typeof queryTableSchema>;
export type QueryAnswer = z.infer<typeof queryAnswerSchema>;
export type AgentStatus = z.infer<typeof agentStatusSchema>;
export type AgentUsage = z.infer<typeof agentUsageViewSchema>;
export type WalletStatus = z.infer<typeof statusResultSchema>;
export type WalletBalance = z.infer<typeof balanceResultSchema>;
export type WalletQuote = z.infer<typeof quoteResultSchema>;
export type WalletTransaction = z.infer<typeof transactionSchema>;

/** Where a value that can be set in two places comes from. */
export type Source = 'environment' | '.env' | 'stored' | 'default';

// The filters that every list of trades has: strategy, exchange and account, with those there are to choose from.

import type { Account, Performance, Result } from '../../server/answers.ts';
import { useAnswer } from '../../server/use-answer.ts';
import type { Filter } from '../../ui/filter-bar.tsx';

export function useAccountFilters(): readonly Filter[] {
  const { answer: accounts } = useAnswer<Result<readonly Account[]>>('/account');
  const { answer: strategies } = useAnswer<Result<Performance>>('/performance?by=strategy', 60_000);
  const known = accounts?.result ?? [];
  return [
    {
      ...{ name: 'strategy', label: 'Strategy' },
      hints: [...new Set((strategies?.result.groups ?? []).map(({ group }) => group ?? ''))].filter(
        (name) => name !== '',
      ),
    },
    { name: 'exchange', label: 'Exchange', options: optionsOf(known.map(({ exchange }) => exchange)) },
    { name: 'account', label: 'Account', options: optionsOf(known.map(({ account }) => account)) },
  ];
}

const optionsOf = (values: readonly string[]) => [...new Set(values)].map((value) => [value, value] as const);

// A price that matters to the account.

export interface Level {
  readonly id: string;
  readonly price: number;
  readonly title: string;
  readonly kind: 'entry' | 'stop' | 'target';
}

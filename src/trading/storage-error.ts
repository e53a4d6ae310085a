// The one error every storage port throws: the message holds the remedy, and nothing of the failed step was stored.

export class StorageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
  }
}

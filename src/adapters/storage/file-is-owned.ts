// What opening a file says that another process has: everything else about the file may be in order.

import { StorageError } from '../../errors/storage-error.ts';

export class FileIsOwned extends StorageError {}

// Reads bars from the bytes of a CSV file; a fault is told with the file and its line.

import type { BarColumns } from '../pine/index.ts';
import { CsvFault, parseBarsCsv } from './bars-csv.ts';
import { fileName } from './script-files.ts';

export function readBars(path: string, bytes: Uint8Array): BarColumns {
  try {
    return parseBarsCsv(bytes);
  } catch (error) {
    if (error instanceof CsvFault) throw new Error(`${fileName(path)}:${error.line}: ${error.message}`);
    throw error;
  }
}

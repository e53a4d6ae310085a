// The tests of writes-suite.ts on SQLite.

import { ON_SQLITE } from './asking.ts';
import { describeWrites } from './writes-suite.ts';

describeWrites(ON_SQLITE);

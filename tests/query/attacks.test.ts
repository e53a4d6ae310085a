// The tests of attacks-suite.ts on SQLite.

import { ON_SQLITE } from './asking.ts';
import { describeAttacks } from './attacks-suite.ts';

describeAttacks(ON_SQLITE);

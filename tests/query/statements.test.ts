// The tests of statements-suite.ts on SQLite.

import { ON_SQLITE } from './asking.ts';
import { describeStatements } from './statements-suite.ts';

describeStatements(ON_SQLITE);

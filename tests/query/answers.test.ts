// The tests of answers-suite.ts on SQLite.

import { describeAnswers } from './answers-suite.ts';
import { ON_SQLITE } from './asking.ts';

describeAnswers(ON_SQLITE);

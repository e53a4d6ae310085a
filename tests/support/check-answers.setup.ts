// Part of the setup of every test file: its answers of the program are compared with openapi.json.

import { watchAnswers } from './check-answers.ts';

watchAnswers();

// Rate limits at the door, counted by the gateway itself.

import { freshGateway } from './answers.ts';
import { describeRateLimits } from './limits-suite.ts';

describeRateLimits('counted here', (options = {}) => freshGateway({ ...options, frozenLimits: true }));

import { Chalk } from 'chalk';
import type { Style } from '../../report/style.ts';

/** The sixteen standard terminal colours. */
export const COLORS: Style = new Chalk({ level: 1 });

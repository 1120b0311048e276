import { Chalk } from 'chalk';
import type { Style } from '../../report/style.ts';

/** The sixteen colours that every terminal has. */
export const COLORS: Style = new Chalk({ level: 1 });

import type { Validator } from '../json/shape-error.ts';
export declare const validateLock: Validator;

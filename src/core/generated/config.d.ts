import type { Validator } from '../json/violations.ts';
export declare const validateConfig: Validator;

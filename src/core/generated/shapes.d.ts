import type { Validator } from '../json/violations.ts';
export declare const validateRegistryShape: Validator;
export declare const validateAppShape: Validator;

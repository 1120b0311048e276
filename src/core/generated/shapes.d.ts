import type { Validator } from '../json/shape-error.ts';
export declare const validateRegistryShape: Validator;
export declare const validateAppShape: Validator;

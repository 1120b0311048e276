import type { Validator } from '../json/shape-error.ts';
/** The policy of a subscription (schemas/policy.schema.json). */
export declare const validatePolicy: Validator;

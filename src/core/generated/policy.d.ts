import type { Validator } from '../json/violations.ts';
/** The policy of a subscription (schemas/policy.schema.json). */
export declare const validatePolicy: Validator;

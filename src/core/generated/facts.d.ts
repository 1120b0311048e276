import type { Validator } from '../json/violations.ts';
/** A whole file of saved facts; the facts about a manifest; those about one app (schemas/facts.schema.json). */
export declare const validateFacts: Validator;
export declare const validateManifestFacts: Validator;
export declare const validateAppFacts: Validator;

import type { Validator } from '../json/violations.ts';
/** The about file of an app (schemas/about.schema.json). */
export declare const validateAbout: Validator;

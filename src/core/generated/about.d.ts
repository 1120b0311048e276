import type { Validator } from '../json/shape-error.ts';
/** The about file of an app (schemas/about.schema.json). */
export declare const validateAbout: Validator;

import type { Validator } from '../json/shape-error.ts';
/** An app.json (schemas/app-description.schema.json), and a lock file (schemas/lock.schema.json). */
export declare const validateAppDescription: Validator;
export declare const validateLock: Validator;

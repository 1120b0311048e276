import type { Validator } from './validators.js';
/** An app.json (schemas/app-description.schema.json), and a lock file (schemas/lock.schema.json). */
export declare const validateAppDescription: Validator;
export declare const validateLock: Validator;

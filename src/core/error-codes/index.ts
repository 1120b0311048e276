import { PUBLISHING_ERRORS } from './publishing.ts';
import { SERVING_ERRORS } from './serving.ts';
import { STORE_ERRORS } from './stores.ts';
import { USAGE_ERRORS } from './usage.ts';
import { WORKSPACE_ERRORS } from './workspace.ts';

/** Every expected error, by code. docs/errors.md is generated from it. */
export const ERRORS = {
  ...USAGE_ERRORS,
  ...WORKSPACE_ERRORS,
  ...PUBLISHING_ERRORS,
  ...STORE_ERRORS,
  ...SERVING_ERRORS,
} as const;

export type ErrorCode = keyof typeof ERRORS;

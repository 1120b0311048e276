import { DOCS } from '../../values/links.ts';
import type { ErrorTable } from './entry.ts';
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

/** The code of an expected error, as docs/errors.md lists them. */
export type ErrorCode = keyof typeof ERRORS;

/** The same by the part of the program that reports them, as docs/errors.md lists them. */
export const ERROR_CHAPTERS: readonly { title: string; errors: ErrorTable }[] = [
  { title: 'The command line', errors: USAGE_ERRORS },
  { title: 'The workspace, its documents, and what they are compared with', errors: WORKSPACE_ERRORS },
  { title: 'Building and publishing', errors: PUBLISHING_ERRORS },
  { title: 'Files and stores', errors: STORE_ERRORS },
  { title: 'Serving, mirrors and the service', errors: SERVING_ERRORS },
];

/** The section of docs/errors.md that lists an error code. */
export function errorUrl(code: ErrorCode): string {
  const chapter = ERROR_CHAPTERS.find(({ errors }) => Object.hasOwn(errors, code));
  return `${DOCS}/errors.md${chapter === undefined ? '' : `#${anchorOf(chapter.title)}`}`;
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

import { ERROR_CHAPTERS } from './error-codes/index.ts';
import type { ErrorCode } from './errors.ts';

/** URLs of the project's documentation. */

/** The project's page. */
export const HOMEPAGE = 'https://github.com/appreg/appreg';

const DOCS = `${HOMEPAGE}/blob/main/docs`;

/** The section of docs/rules.md about a rule. */
export function ruleUrl(id: string): string {
  return `${DOCS}/rules.md#${id}`;
}

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

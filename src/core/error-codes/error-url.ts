import { DOCS } from '../links.ts';
import type { ErrorCode } from '../errors.ts';
import { ERROR_CHAPTERS } from './index.ts';

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

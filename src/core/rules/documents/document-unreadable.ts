import { message, type SafeText } from '../../text/message.ts';
import { authorOrCopy, pageOwner } from '../owners.ts';
import type { SyntaxErrorCause } from '../../json/document-syntax-error.ts';
import { isMissing, type Missing, type HttpViews } from '../../facts/facts.ts';
import { whyUndecoded } from '../../http/probe.ts';
import { interceptedInstead, pageAnswer, pageInstead } from '../../http/web-page.ts';
import type { CauseInfo } from '../cause.ts';
import { NOT_ITS_URL } from '../other-url.ts';
import { defineRule, only } from '../rule.ts';

const INSTEAD = message`Write the JSON to this file: the step that wrote it saved something else.`;

const CAUSES = {
  empty: {
    title: 'The file is empty',
    owner: authorOrCopy,
    local: message`Write the JSON again; the step that wrote it failed.`,
  },
  'html-page': { title: 'An HTML page instead of the file', owner: pageOwner, local: INSTEAD },
  'xml-error': { title: 'XML, such as an error message, instead of the file', owner: 'host', local: INSTEAD },
  'git-lfs-pointer': {
    title: 'A Git LFS pointer instead of the file',
    owner: 'host',
    local: message`Fetch the file (git lfs pull), or do not store JSON in LFS.`,
  },
  'text-message': { title: 'Plain text instead of the file', local: INSTEAD },
  yaml: { title: 'The file is YAML', local: message`Write the file as JSON, or correct the URL that leads to it.` },
  'program-message': { title: 'The output of a program instead of the file' },
  'svg-image': {
    title: 'The file is an SVG image',
    local: message`Write the JSON to this file, or correct the URL that leads to it.`,
  },
  'source-code': {
    title: 'The file is the source code of the program that should generate it',
    local: message`Run the program, and write the JSON that it generates to this file.`,
  },
  javascript: {
    title: 'The file is JavaScript',
    local: message`Write only the JSON value, without the statement around it.`,
  },
  jsonp: { title: 'The file is JSONP', local: message`Write only the JSON to the file, without the call around it.` },
  'script-prefix': {
    title: 'A prefix against script inclusion precedes the JSON',
    local: message`Remove the prefix; only clients that know it ignore it.`,
  },
  'text-before-json': { title: 'Text precedes the JSON' },
  gzip: { title: 'The file is gzip data', local: message`Decompress the file (gunzip).` },
  zstd: { title: 'The file is zstd data', local: message`Decompress the file (unzstd).` },
  'not-utf8': {
    title: 'The file is not UTF-8',
    local: message`Save the JSON as text in UTF-8, without a byte order mark.`,
  },
  'lone-surrogate': { title: 'A string has a lone surrogate' },
  truncated: {
    title: 'The JSON ends early',
    owner: authorOrCopy,
    local: message`Complete the file, or write it again.`,
  },
  'trailing-data': { title: 'Data follows the JSON' },
  'trailing-comma': { title: 'No value follows a comma', fixable: true },
  'missing-comma': { title: 'A comma is missing' },
  'missing-colon': { title: 'A colon is missing' },
  comment: { title: 'The file contains a comment' },
  'merge-conflict': { title: 'The file has merge conflict markers' },
  'single-quotes': { title: 'A string is in single quotes' },
  'unquoted-name': { title: 'A property name is not in quotes' },
  'odd-space': { title: 'White space other than space, tab and line break' },
  'control-character': { title: 'A string has a control character' },
  'bad-escape': { title: 'A string has an invalid escape' },
  'bad-number': { title: 'Invalid number' },
  'bad-literal': { title: 'Invalid literal' },
  unexpected: { title: 'Unexpected character' },
} satisfies Readonly<Record<SyntaxErrorCause, CauseInfo>>;

export const documentUnreadable = defineRule({
  id: 'document-unreadable',
  title: 'File that is not JSON',
  on: 'document',
  needs: ['reading', 'facts'],
  severity: 'error',
  spec: '7',
  symptom: 'by-resource',
  owner: 'author',
  hidesApp: true,
  supersededBy: only(NOT_ITS_URL, 'html-page', 'xml-error', 'text-message'),
  hiddenReason: 'Its metadata file is not readable JSON.',
  causes: CAUSES,
  failsWhen: 'a manifest or metadata file is not JSON',
  why: 'The service cannot read the file: a broken manifest stops the whole registry, a broken metadata file hides its app.',
  examples: {
    bad: '{ "apps": { }, }',
    good: '{ "apps": { } }',
  },
  check({ reading, facts }) {
    const { fault } = reading;
    if (!fault) return null;
    const { cause, offset } = fault;
    if (cause === 'html-page' && !isMissing(facts.content))
      return { ...pageInstead(facts.content.text ?? '', 'JSON', pageAnswer(facts.web)), cause, offset };
    const intercepted =
      (cause === 'empty' || cause === 'text-message') && !isMissing(facts.content)
        ? interceptedInstead(facts.content.text ?? '', 'JSON', pageAnswer(facts.web))
        : null;
    if (intercepted !== null) return { ...intercepted, cause: 'html-page', offset };
    return {
      ...(undecoded(cause, facts.web) ?? { message: fault.message, advice: fault.advice }),
      cause,
      offset,
      evidence: fault.evidence ?? {},
    };
  },
});

/** Bytes that may be compressed, by cause. */
const COMPRESSED: Partial<Record<string, string>> = {
  gzip: 'gzip data',
  zstd: 'zstd data',
  'not-utf8': 'not readable as text',
};

/** Compressed bytes with a coding that clients do not decode; null if Content-Encoding is not the reason. */
function undecoded(cause: string, web: HttpViews | Missing): { message: SafeText; advice: SafeText } | null {
  const is = COMPRESSED[cause];
  const why = is === undefined ? null : whyUndecoded(web);
  if (why === null) return null;
  return {
    message: message`The file is ${is ?? ''}, and ${why}.`,
    advice: message`Send Content-Encoding: gzip and nothing else, or the JSON as it is.`,
  };
}

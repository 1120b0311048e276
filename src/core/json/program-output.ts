import { type SafeText, message } from '../text/message.ts';
import { documentSyntaxError, type DocumentSyntaxError } from './document-syntax-error.ts';
import { shorten, safeExcerpt } from '../text/text.ts';

/** Program output in place of a file: warnings and errors, or log output around the JSON. */

/** A message of a program, identified by its format. */
export interface ProgramMessage {
  /** With its article, for a sentence: `a PHP warning`. */
  kind: string;
  /** Its beginning, on one line and without markup. */
  text: string;
  advice: SafeText;
}

// Xdebug writes "( ! )" before the level.
const PHP_LEVEL =
  /^(?:\( ! \)\s{1,10})?(?:\[[\w :/+-]{10,60}\] )?(?:(PHP) {1,3})?((?:recoverable |catchable )?fatal error|warning|notice|deprecated|parse error|strict standards|core error|core warning|compile error|compile warning|user error|user warning|user notice|user deprecated|uncaught \w+)\b ?:/i;
const PHP_PLACE = / in \S.{0,400}? on line \d/s;
const PHP_ADVICE = message`Fix the cause of the message, and keep messages out of the output: with display_errors = Off in php.ini, PHP writes them to its log.`;
const PROGRAM_ADVICE = message`The step that writes this file failed, or logs to its standard output. Fix the cause of the message, stop the pipeline on errors, and write only the JSON to the file.`;

/** The first pattern that matches the beginning of a text without markup identifies the program. */
const FORMS: readonly (readonly [kind: string, form: RegExp])[] = [
  ['a Python traceback', /^Traceback \(most recent call last\):/],
  ['a Python warning', /^\S{1,300}\.py:\d+: \w*Warning: /],
  ['a Node.js warning', /^\(node:\d+\) /],
  ['a Node.js error', /^node:internal\/\S+:\d+\s/],
  ['a Java stack trace', /^(?:Exception in thread |[\w.$]+(?:Exception|Error)\b)[^]{0,2000}\n\s+at [^\n]+\.java:\d+\)/],
  ['a .NET stack trace', /^(?:Unhandled exception|System\.[\w.]+Exception)\b[^]{0,2000}\n\s+at /],
  ['a JavaScript stack trace', /^(?:Uncaught )?(?:\w*Error|\w+Exception)\b[^]{0,2000}\n\s+at /],
  ['a Ruby error', /^\S{1,300}\.rb:\d+:in [`']/],
  ['a Go panic', /^panic: [^]{0,2000}\ngoroutine \d+ /],
  ['a Rust panic', /^thread '[^'\n]{0,100}'(?: \(\d+\))? panicked at /],
  ['a Perl message', /^[^\n]{1,300} at \S{1,300} line \d+\.(?:\n|$)/],
  ['a shell error message', /^(?:\S{0,100}\/)?(?:ba|da|z|k|a)?sh: [^\n]{1,300}: /],
  [
    'the error message of a command',
    /^(?:curl: \(\d+\)|(?:jq|git|aws|gsutil|wget|tar|make|sed|cat|cp|node|python3?): |npm (?:ERR!|error|WARN|warn)|fatal: )/,
  ],
];

/** The program message at the beginning of a text (PHP also writes it as HTML); null for other texts. */
export function programMessage(text: string): ProgramMessage | null {
  const head = withoutMarkup(text.slice(0, 8192));
  const line = shorten(head.replace(/\s+/g, ' ').trim(), 80);
  const [, prefix, level] = PHP_LEVEL.exec(head) ?? [];
  if (level !== undefined && (prefix !== undefined || PHP_PLACE.test(head.slice(0, 2000)))) {
    const name = level.toLowerCase();
    const text = shorten(
      head
        .replace(/[\r\n].*/s, '')
        .replace(/\s+/g, ' ')
        .trim(),
      120,
    );
    return { kind: `a PHP ${name === 'deprecated' ? 'deprecation notice' : name}`, text, advice: PHP_ADVICE };
  }
  const found = FORMS.find(([, form]) => form.test(head));
  return found ? { kind: found[0], text: line, advice: PROGRAM_ADVICE } : null;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#039;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

/** The text without the tags before and inside a message. JSON after it is unchanged unless it contains tags. */
function withoutMarkup(text: string): string {
  const head = text.replace(/^\ufeff/, '').trimStart();
  if (!head.startsWith('<')) return head;
  return head
    .replace(/<\/?[a-z][^<>]{0,300}>/gi, '')
    .replace(/&(?:quot|#039|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .trimStart();
}

/** The fault of a document that begins with a program message; null for other texts. */
export function messageInPlaceOfJson(text: string): DocumentSyntaxError | null {
  const summary = programMessage(text);
  if (summary === null) return null;
  const json = jsonIn(text);
  const where = json === null ? ', not with JSON' : `; the JSON begins on line ${lineAt(text, json)}`;
  return {
    ...documentSyntaxError(
      'program-message',
      0,
      message`The file begins with ${summary.kind} (“${summary.text}”)${where}.`,
      summary.advice,
    ),
    evidence: { kind: summary.kind, begins: summary.text },
  };
}

/**
 * A more specific fault than the grammar's if other text surrounds a complete JSON document.
 * @param start the offset where the text begins, after a BOM
 */
export function textAroundJson(text: string, start: number, found: DocumentSyntaxError): DocumentSyntaxError {
  if (found.cause === 'trailing-data') {
    const summary = programMessage(text.slice(found.offset));
    if (summary === null) return found;
    return {
      ...found,
      cause: 'program-message',
      message: message`After the JSON, the file has ${summary.kind} (“${summary.text}”).`,
      advice: summary.advice,
    };
  }
  if (/^(truncated|comment|merge-conflict|odd-space)$/.test(found.cause)) return found;
  const whole = text.slice(start);
  // Objects nested in a faulty object are not text after it.
  if (/^\s*\{/.test(whole)) return found;
  return scriptAround(whole, start) ?? textBefore(text, start) ?? found;
}

/** JSON in the form of a script: JSONP, an anti-hijacking prefix, a module, the source of a PHP page. */
function scriptAround(text: string, offset: number): DocumentSyntaxError | null {
  const call = /^\s*(?:\/\*\*\/\s*)?([\w$.]{1,100})\s*\(\s*[{[]/.exec(text)?.[1];
  if (call !== undefined && /\)\s*;?\s*$/.test(text))
    return documentSyntaxError(
      'jsonp',
      offset,
      message`The JSON is the argument of a call, ${safeExcerpt(call, 40)}(…): this is JSONP, a script.`,
      message`Serve only the JSON; with CORS headers, browsers do not need JSONP.`,
    );
  if (/^\s*(?:\)\]\}'?,?|while\s*\(1\);|for\s*\(;;\);)/.test(text))
    return documentSyntaxError(
      'script-prefix',
      offset,
      message`The file begins with a prefix that prevents its execution as a script.`,
      message`Serve the JSON without the prefix; only clients that know it remove it.`,
    );
  if (/^\s*(?:export\s+default\b|module\.exports\b|(?:const|let|var)\s+\w+\s*=|window\.\w+\s*=)/.test(text))
    return documentSyntaxError(
      'javascript',
      offset,
      message`This is JavaScript, not JSON.`,
      message`Serve only the JSON value, without the statement around it.`,
    );
  return null;
}

/** Log output before a complete JSON document. */
function textBefore(text: string, start: number): DocumentSyntaxError | null {
  const json = jsonIn(text);
  if (json === null) return null;
  const line = lineAt(text, json);
  const first = shorten(
    text
      .slice(start, json)
      .trim()
      .split(/[\r\n]/, 1)[0] ?? '',
    80,
  );
  return {
    ...documentSyntaxError(
      'text-before-json',
      start,
      message`The file has other text before the JSON, which begins on line ${line}: “${first}”.`,
      message`Write only the JSON to the file: send log output to stderr or to another file.`,
    ),
    evidence: { jsonLine: line },
  };
}

/** The number of positions tried; log lines contain a few brackets of their own. */
const TRIED = 50;

/** The start of a complete object that extends to the end of the text, after other text; null if there is none. */
function jsonIn(text: string): number | null {
  let tried = 0;
  for (const { index } of text.matchAll(/\{/g)) {
    if (tried === TRIED) return null;
    tried += 1;
    if (isDocument(text.slice(index))) return index;
  }
  return null;
}

/** True if a text is a non-empty JSON object, and not the end of another notation (`apps: {}`). */
function isDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  } catch {
    return false;
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\r|\n/).length;
}

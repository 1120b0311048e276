import { stampOver } from '../../core/text/text.ts';

/**
 * Removes header values from a text: with and without their scheme (`Bearer …`), the decoded form of `Basic`, and each
 * also as hosts echo it in a URL, in a form, in JSON or in base64. The replacement has the same length.
 */
export function redactor(values: readonly string[]): (text: string) => string {
  const plain = values.flatMap((value) => {
    const withoutScheme = value.replace(/^\w+ +/, '');
    return /^basic +/i.test(value) ? [value, withoutScheme, ...loginOf(withoutScheme)] : [value, withoutScheme];
  });
  // A value of a few characters is not a secret, and occurs everywhere.
  const forms = plain.filter((value) => value.length >= 4).flatMap(formsOf);
  // Longest first: the rest of a form after a shorter one was removed would still disclose something.
  const hidden = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  return (text) => hidden.reduce((seen, value) => seen.replaceAll(value, stampOver(value, 'REDACTED')), text);
}

/** Redacts all strings in facts, base64 included. Returns a copy. */
export function redactFacts<T>(facts: T, redact: (text: string) => string): T {
  // A copy has the same shape: only texts are replaced.
  return redacted(facts, '', redact) as T;
}

// Fields in base64: the first bytes of a body, and a document that is not text.
const BASE64 = new Set(['head', 'base64']);

function redacted(value: unknown, name: string, redact: (text: string) => string): unknown {
  if (typeof value === 'string') {
    if (!BASE64.has(name)) return redact(value);
    const bytes = Buffer.from(value, 'base64').toString('latin1');
    const kept = redact(bytes);
    return kept === bytes ? value : Buffer.from(kept, 'latin1').toString('base64');
  }
  if (Array.isArray(value)) return value.map((item) => redacted(item, name, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, key, redact)]));
}

/** The user name with the password, and the password, of `Basic` credentials. */
function loginOf(encoded: string): string[] {
  const login = Buffer.from(encoded, 'base64').toString();
  const colon = login.indexOf(':');
  return colon === -1 ? [] : [login, login.slice(colon + 1)];
}

function formsOf(value: string): string[] {
  const inUrl = encodeURIComponent(Buffer.from(value).toString());
  const inJson = JSON.stringify(value).slice(1, -1);
  return [
    value,
    inUrl,
    inUrl.replaceAll('%20', '+'),
    inUrl.replaceAll(/%../g, (code) => code.toLowerCase()),
    inJson,
    inJson.replaceAll('/', '\\/'),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
  ];
}

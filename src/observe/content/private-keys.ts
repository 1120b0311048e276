/** Private keys in PEM and OpenPGP form, as files or as texts in code. */

/** The first and the last line of a key. */
const LINE = /-----(BEGIN|END) ((?:[A-Z0-9]{1,20} ){0,4})PRIVATE KEY(?: BLOCK)?(-----)?/g;
/** Characters between them. */
const MIN_BODY = 40;
const MAX_BODY = 16_000;
const QUOTES_BETWEEN_LINES = /["'`]\s*[+,]?\s*["'`]/g;
/** Lines such as `Proc-Type: 4,ENCRYPTED`. */
const HEADER_LINES = /[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,200}/g;
const ESCAPED_LINE_END = /\\+[nrt]/g;
const BASE64 = /^[A-Za-z0-9+/]{56,}={0,2}(?:=[A-Za-z0-9+/]{4})?$/;
const MIN_DISTINCT = 16;
/** Keys of documentation: the start of their base64. */
const KNOWN_EXAMPLES = ['MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQC7VJTUt9Us8cKj'];

export interface FoundSecret {
  kind: string;
  value: string;
  /** Offset of its start, and after its end. */
  from: number;
  to: number;
}

/** The private keys in a text. A part of a key, or a text in its place, is none. */
export function privateKeysIn(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  let begin: { from: number; body: number; label: string } | null = null;
  for (const { 0: line, 1: side, 2: label = '', 3: dashes, index } of text.matchAll(LINE)) {
    const to = index + line.length;
    if (side === 'BEGIN') {
      if (dashes !== undefined) begin = { from: index, body: to, label };
      continue;
    }
    const key = begin === null ? null : keyBetween(text, begin, index);
    if (key !== null) found.push({ ...key, to });
    begin = null;
  }
  return found;
}

/** @param end where the last line begins */
function keyBetween(
  text: string,
  { from, body, label }: { from: number; body: number; label: string },
  end: number,
): Omit<FoundSecret, 'to'> | null {
  if (end - body < MIN_BODY || end - body > MAX_BODY) return null;
  const base64 = base64Of(text.slice(body, end));
  if (!isKey(base64, label)) return null;
  return { kind: isServiceAccount(text, from) ? 'service-account-key' : 'private-key', value: base64, from };
}

/** The base64 of a key, without line ends, quotes and operators of the code that contains it. */
function base64Of(body: string): string {
  return body
    .replace(/\\+(?=["'`])/g, '')
    .replace(ESCAPED_LINE_END, '\n')
    .replace(HEADER_LINES, '')
    .replace(QUOTES_BETWEEN_LINES, '')
    .replace(/[\s\\]/g, '');
}

function isKey(base64: string, label: string): boolean {
  if (!BASE64.test(base64) || new Set(base64).size < MIN_DISTINCT) return false;
  if (KNOWN_EXAMPLES.some((start) => base64.startsWith(start))) return false;
  if (label.startsWith('PGP') || label.startsWith('ENCRYPTED')) return true;
  // DER begins with a sequence (0x30), a key of OpenSSH with its name; an encrypted body of the older form with neither.
  return /^M[A-P]|^b3BlbnNzaC1rZXk/.test(base64) || base64.length > 200;
}

/** The distance in which a service account's other fields are. */
const NEAR = 600;

function isServiceAccount(text: string, at: number): boolean {
  const near = text.slice(Math.max(0, at - NEAR), at);
  return near.includes('private_key') && near.includes('service_account');
}

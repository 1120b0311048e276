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

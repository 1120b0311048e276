import { VERSION } from '../core/values/tool-version.ts';
import type { Envelope } from './results.ts';
import { redact, safeJson } from '../core/text/text.ts';

/** The envelope of a document of `command`. */
function envelopeOf(command: string | null): Envelope {
  return { schema: 1, tool: { name: 'appreg', version: VERSION }, command };
}

/**
 * A document as text; control characters are written as `\u` escapes.
 * @param fields what the command prints in addition to the envelope
 * @param conceal applied to every text (default: `redact`)
 */
export function documentText(command: string | null, fields: object, conceal = redact): string {
  const document = { ...envelopeOf(command), ...fields };
  // In the document itself, the quote that ends a text could be taken for a part of a secret.
  const concealed: unknown = JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === 'string' ? conceal(value) : value,
  );
  return safeJson(concealed);
}

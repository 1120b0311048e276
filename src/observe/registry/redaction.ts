import type { AppFacts, DocumentFacts } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { member, parseDocument } from '../../core/json/json.ts';
import { secretsOf } from '../../core/text/text.ts';
import { redactFacts, redactor } from '../http/redact.ts';

/** Removes secrets from what is handed over: a host may echo them. */
export interface Redaction {
  text(text: string): string;
  manifest(facts: DocumentFacts): DocumentFacts;
  app(facts: AppFacts): AppFacts;
}

/** @param secrets header values */
export function openRedaction(secrets: readonly string[]): Redaction {
  const text = redactor(secrets);
  const redact = <T>(facts: T): T => (secrets.length === 0 ? facts : redactFacts(facts, text));
  return {
    text,
    manifest: (facts) => redact(withoutEchoedSignature(facts, 'apps')),
    app: (facts) => redact({ ...facts, metadata: withoutEchoedSignature(facts.metadata, 'versions') }),
  };
}

/** The message in place of a document may quote the signature of the requested URL. */
function withoutEchoedSignature(facts: DocumentFacts, field: 'apps' | 'versions'): DocumentFacts {
  const { url, content } = facts;
  const secrets = url === null ? [] : secretsOf(url);
  if (secrets.length === 0 || isMissing(content) || member(parseDocument(content).value, field) !== undefined)
    return facts;
  return { ...facts, content: redactFacts(content, redactor(secrets)) };
}

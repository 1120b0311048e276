import type { ArchiveFacts } from '../../core/facts/facts.ts';
import { redactFacts } from '../http/redact.ts';
import { hideValues } from './hide-values.ts';
import { mayHaveSecret } from './regions.ts';

/** Secrets in the names of an archive's entries: all who see a listing see them. */

export interface NamedSecret {
  kind: string;
  value: string;
  /** The path or link target with the secret in it. */
  name: string;
}

/** The secrets in the paths and link targets of an archive. */
export async function secretsInNames({ entries, oddities }: ArchiveFacts): Promise<NamedSecret[]> {
  const names = new Set([...entries.flatMap(({ path, link }) => [path, link]), ...oddities.map(({ entry }) => entry)]);
  const found: NamedSecret[] = [];
  for (const name of names) {
    if (name === null || !mayHaveSecret(name)) continue;
    const { secretsIn } = await import('./find-secrets.ts');
    const secrets = await secretsIn({ text: name, entry: '', isStart: true, isEnd: true, isFile: false });
    found.push(...secrets.map(({ kind, from, to }) => ({ kind, value: name.slice(from, to), name })));
  }
  return found;
}

/** The facts with these secrets replaced wherever they occur. */
export function withoutNamedSecrets(facts: ArchiveFacts, found: readonly NamedSecret[]): ArchiveFacts {
  return found.length === 0 ? facts : redactFacts(facts, hideValues(found.map(({ value }) => value)));
}

import type { ArchiveFacts } from '../../core/facts/facts.ts';
import { redactFacts } from '../http/redact.ts';
import type { DetectorRun } from './detector-run.ts';
import { hideValues } from './redact-head.ts';
import { mayHaveSecret } from './regions.ts';

/** Secrets in the names of an archive's entries: all who see a listing see them. */

export interface NamedSecret {
  kind: string;
  value: string;
  /** The path or link target with the secret in it. */
  name: string;
}

/** Secrets that are replaced one by one; then names that may have one are replaced as a whole. */
const MAX_NAMED = 50;

/** The secrets in the paths and link targets of an archive: the first ones, if there are many. */
export async function secretsInNames({ entries, oddities }: ArchiveFacts, run: DetectorRun): Promise<NamedSecret[]> {
  const all = new Set([...entries.flatMap(({ path, link }) => [path, link]), ...oddities.map(({ entry }) => entry)]);
  const names = [...all].filter((name) => name !== null && mayHaveSecret(name));
  const found: NamedSecret[] = [];
  const regions = names.map((name) => ({
    region: { text: name ?? '', entry: '', isStart: true, isEnd: true, isFile: false },
  }));
  if (regions.length > 0)
    await run.search(
      () => (found.length < MAX_NAMED ? regions.shift() : undefined),
      async (secrets, { region: { text: name } }) => {
        found.push(...secrets.map(({ kind, from, to }) => ({ kind, value: name.slice(from, to), name })));
        return found.length;
      },
    );
  return found;
}

/** The facts with these secrets replaced wherever they occur. */
export function withoutNamedSecrets(facts: ArchiveFacts, found: readonly NamedSecret[]): ArchiveFacts {
  if (found.length === 0) return facts;
  const hide = hideValues(found.slice(0, MAX_NAMED).map(({ value }) => value));
  return redactFacts(facts, (text) => {
    const hidden = hide(text);
    return found.length >= MAX_NAMED && mayHaveSecret(hidden) ? hideWhole(hidden) : hidden;
  });
}

/** A text of the same length. */
function hideWhole(text: string): string {
  return hideValues([text])(text);
}

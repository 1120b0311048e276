import { type UnsafeEntry, unsafeEntriesOf } from '../../registry/archive-policy.ts';
import { defineRule, type Problem } from '../rule.ts';
import { shorten } from '../../text/text.ts';

const SHOWN = 10;

export const artifactUnsafeEntry = defineRule({
  id: 'artifact-unsafe-entry',
  on: 'artifact',
  needs: ['archive'],
  severity: 'error',
  spec: '2.4',
  symptom: null,
  failsWhen:
    'an entry has an absolute path, "..", a link out of the archive, a device, a path that stands twice or differs in case alone, or is one that readers of archives understand differently',
  why: 'Whoever unpacks the artifact may overwrite files elsewhere, or get other files than those that were checked.',
  check({ archive }): Problem | null {
    const { errors, warnings } = unsafeEntriesOf(archive);
    if (errors.length > 0) return problem(errors, archive.entryCount);
    if (warnings.length === 0) return null;
    return { ...problem(warnings, archive.entryCount), severity: 'warning' };
  },
});

function problem(offences: readonly UnsafeEntry[], entryCount: number): Problem {
  const [first] = offences as [UnsafeEntry];
  const more = offences.length > 1 ? ` (and ${offences.length - 1} more of ${entryCount} entries)` : '';
  return {
    message: `The artifact's entry ${JSON.stringify(shorten(first.path, 100))} ${first.why}${more}.`,
    advice:
      'Build the archive from a plain folder of files, or let "appreg bundle" pack it: only regular files and folders, with relative paths, each path once.',
    cause: first.code,
    evidence: {
      entries: offences.slice(0, SHOWN).map((offence) => `${shorten(offence.path)}: ${offence.code}`),
      offences: offences.length,
    },
  };
}

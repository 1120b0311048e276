import { message } from '../../text/message.ts';
import { type UnsafeEntry, unsafeEntriesOf } from '../../registry/archive-policy.ts';
import { shorten } from '../../text/text.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { defineRule, type Problem } from '../rule.ts';

const SHOWN = 10;

const CAUSES = {
  'absolute-path': { title: 'The path is absolute' },
  'path-escapes': { title: 'The path points outside the folder' },
  'link-escapes': { title: 'The link leads out of the archive' },
  'link-chain': { title: 'The link leads through another link' },
  'below-link': { title: 'The entry is below a link' },
  device: { title: 'The entry is a device or a pipe' },
  'duplicate-path': { title: 'The path occurs more than once' },
  'case-collision': { title: 'Paths differ only in case or Unicode normalization' },
  'file-as-folder': { title: 'The entry is below a file' },
  'control-characters': { title: 'The name has control characters' },
  'empty-name': { title: 'The name is empty' },
  'too-deep': { title: 'The entry is nested too deeply' },
  'link-inside': { title: 'The entry is a link' },
  'special-mode': { title: 'The entry is set-user-id or set-group-id' },
  contiguous: { title: 'The entry is a contiguous file' },
  backslash: { title: 'The name has a backslash' },
  'invisible-characters': { title: 'The name has invisible characters' },
  'pax-size-differs': { title: 'The pax size differs from the header' },
  'pax-record-broken': { title: 'A pax record is corrupt' },
  'pax-size-for-all': { title: 'A global pax header sets a size' },
  'data-without-file': { title: 'An entry without content has a size' },
  'sparse-file': { title: 'The entry is a sparse file' },
  'unknown-type': { title: 'The entry has an unknown type' },
  'extension-twice': { title: 'An extension header occurs twice' },
  'extension-unused': { title: 'An extension header applies to no entry' },
  'path-for-all': { title: 'A global pax header sets a path' },
  'path-empty': { title: 'A header sets an empty path' },
  'path-with-nul': { title: 'The path has a NUL character' },
  'path-differs': { title: 'Two headers have different paths' },
  'path-too-long': { title: 'The path is too long' },
  'prefix-without-ustar': { title: 'A path prefix without a ustar header' },
  'link-on-file': { title: 'A regular file has a link target' },
  'name-not-utf8': { title: 'The name is not UTF-8' },
  'number-unreadable': { title: 'A number cannot be parsed' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const artifactUnsafeEntry = defineRule({
  id: 'artifact-unsafe-entry',
  title: 'Unsafe entry in an archive',
  on: 'artifact',
  needs: ['archive'],
  severity: 'error',
  spec: '2.4',
  symptom: null,
  owner: 'author',
  needsNewVersion: true,
  causes: CAUSES,
  failsWhen:
    'an entry has an absolute path or "..", is a link out of the archive or a device, has a duplicate path or one that differs only in case, or is interpreted differently by different tools',
  why: 'Unpacking the artifact may overwrite files elsewhere, or create files other than those that were checked.',
  examples: {
    bad: `-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js
-rw-r--r-- 0/0       40 2026-01-01 00:00 ../../.bashrc`,
    good: `-rw-r--r-- 0/0       40 2026-01-01 00:00 app.js
-rw-r--r-- 0/0       40 2026-01-01 00:00 lib/util.js`,
  },
  check({ archive }): readonly Problem<Cause>[] {
    const byCause = new Map<Cause, UnsafeEntry[]>();
    for (const entry of unsafeEntriesOf(archive)) {
      const same = byCause.get(entry.code);
      if (same) same.push(entry);
      else byCause.set(entry.code, [entry]);
    }
    return [...byCause.values()].flatMap((entries) => problem(entries, archive.entryCount));
  },
});

/** @param entries those with one cause */
function problem(entries: readonly UnsafeEntry[], entryCount: number): Problem<Cause>[] {
  const [first] = entries;
  if (first === undefined) return [];
  const more = entries.length > 1 ? ` (and ${entries.length - 1} more of ${entryCount} entries)` : '';
  return [
    {
      severity: first.severity,
      message: message`The artifact's entry ${JSON.stringify(shorten(first.path, 100))} ${first.why}${more}.`,
      advice: message`Build the archive from a folder of regular files, or use "appreg bundle": only regular files and folders, with relative paths, each path once.`,
      cause: first.code,
      evidence: { entries: entries.slice(0, SHOWN).map(({ path }) => shorten(path)), offences: entries.length },
    },
  ];
}

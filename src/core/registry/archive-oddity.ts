import type { ArchiveFacts } from '../facts/facts.ts';
import type { Severity } from '../engine/report.ts';

/**
 * The codes of ambiguities that archive readers handle differently, and their weights. `framing` marks those after
 * which readers disagree on where entries begin: a broken tar after one of them is its consequence, and not a fault of
 * its own.
 */
interface Weight {
  severity: Severity;
  rule: 'artifact-unsafe-entry' | 'artifact-not-tar-gz' | 'artifact-trailing-data';
  framing: boolean;
}

const UNSAFE: Weight = { severity: 'error', rule: 'artifact-unsafe-entry', framing: false };
const FRAMING: Weight = { ...UNSAFE, framing: true };
const LOOSE: Weight = { severity: 'warning', rule: 'artifact-not-tar-gz', framing: false };
const TRAILING: Weight = { severity: 'warning', rule: 'artifact-trailing-data', framing: false };

export const ODDITIES = {
  'pax-size-differs': FRAMING,
  'pax-record-broken': FRAMING,
  'pax-size-for-all': FRAMING,
  'data-without-file': FRAMING,
  'sparse-file': FRAMING,
  'unknown-type': FRAMING,
  'extension-twice': UNSAFE,
  'extension-unused': UNSAFE,
  'path-for-all': UNSAFE,
  'path-empty': UNSAFE,
  'path-with-nul': UNSAFE,
  'path-differs': UNSAFE,
  'path-too-long': UNSAFE,
  'prefix-without-ustar': UNSAFE,
  'link-on-file': UNSAFE,
  'name-not-utf8': { ...UNSAFE, severity: 'warning' },
  'number-unreadable': { ...UNSAFE, severity: 'warning' },
  'no-end-mark': LOOSE,
  'several-members': LOOSE,
  'bytes-after-end': TRAILING,
  'entries-after-end': { ...TRAILING, severity: 'error' },
  'zeros-after-gzip': TRAILING,
  'bytes-after-gzip': { ...TRAILING, severity: 'error' },
} as const satisfies Record<string, Weight>;

export type OddityCode = keyof typeof ODDITIES;

/** The oddities that a rule reports; codes unknown to this version belong to none. */
export function odditiesFor(
  rule: Weight['rule'],
  archive: ArchiveFacts,
): (ArchiveFacts['oddities'][number] & Weight)[] {
  const found = [];
  for (const oddity of archive.oddities) {
    const weight = Object.hasOwn(ODDITIES, oddity.code) ? ODDITIES[oddity.code as OddityCode] : null;
    if (weight?.rule === rule) found.push({ ...oddity, ...weight });
  }
  return found;
}

/** True when readers disagree on where the entries of the archive begin. */
export function framingDiffers(archive: ArchiveFacts): boolean {
  return odditiesFor('artifact-unsafe-entry', archive).some((oddity) => oddity.framing);
}

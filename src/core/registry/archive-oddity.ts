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

const UNSAFE = { severity: 'error', rule: 'artifact-unsafe-entry', framing: false } as const;
const FRAMING = { ...UNSAFE, framing: true } as const;
const LOOSE = { severity: 'warning', rule: 'artifact-not-tar-gz', framing: false } as const;
const TRAILING = { severity: 'warning', rule: 'artifact-trailing-data', framing: false } as const;

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
  'no-end-marker': LOOSE,
  'several-members': LOOSE,
  'bytes-after-end': TRAILING,
  'entries-after-end': { ...TRAILING, severity: 'error' },
  'zeros-after-gzip': TRAILING,
  'bytes-after-gzip': { ...TRAILING, severity: 'error' },
} as const satisfies Record<string, Weight>;

/** The codes of the oddities that a rule reports. */
export type OddityCode<R extends Weight['rule'] = Weight['rule']> = {
  [Code in keyof typeof ODDITIES]: (typeof ODDITIES)[Code]['rule'] extends R ? Code : never;
}[keyof typeof ODDITIES];

/** An oddity of an archive that a rule reports. */
export type Oddity<R extends Weight['rule']> = Omit<ArchiveFacts['oddities'][number], 'code'> &
  Weight & { code: OddityCode<R> };

function isOddityOf<R extends Weight['rule']>(rule: R, code: string): code is OddityCode<R> {
  const weights: Readonly<Record<string, Weight>> = ODDITIES;
  return Object.hasOwn(weights, code) && weights[code]?.rule === rule;
}

/** The oddities that a rule reports; codes unknown to this version belong to none. */
export function odditiesFor<R extends Weight['rule']>(rule: R, archive: ArchiveFacts): Oddity<R>[] {
  return archive.oddities.flatMap((oddity) => {
    const { code } = oddity;
    return isOddityOf(rule, code) ? [{ ...oddity, ...ODDITIES[code], code }] : [];
  });
}

/** True when readers disagree on where the entries of the archive begin. */
export function framingDiffers(archive: ArchiveFacts): boolean {
  return odditiesFor('artifact-unsafe-entry', archive).some((oddity) => oddity.framing);
}

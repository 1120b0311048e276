import type { Severity } from '../values/severity.ts';
import type { ArchiveEntry, ArchiveFacts } from '../facts/facts.ts';
import { normalized } from '../text/normalized.ts';

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
type Oddity<R extends Weight['rule']> = Omit<ArchiveFacts['oddities'][number], 'code'> &
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

/**
 * The permitted content of an artifact: files and folders with plain relative paths, each path once. Anything else is a
 * violation.
 */

export interface UnsafeEntry {
  path: string;
  code: UnsafeEntryCode;
  severity: 'error' | 'warning';
  /** The reason, as a clause that follows the path: "leaves the folder …". */
  why: string;
}

/** Possible faults of an entry: the severity, and the reason, as a clause that follows the path. */
const VIOLATIONS = {
  'absolute-path': { severity: 'error', why: 'is an absolute path' },
  'path-escapes': { severity: 'error', why: 'has ".." in its path, which points outside the folder it is unpacked to' },
  'link-escapes': { severity: 'error', why: 'is a link to a target outside the archive' },
  'link-chain': { severity: 'error', why: 'is a link whose path contains another link' },
  'below-link': { severity: 'error', why: 'is below a link, so unpacking writes it elsewhere' },
  device: { severity: 'error', why: 'is a device or a pipe' },
  'duplicate-path': { severity: 'error', why: 'occurs more than once in the archive' },
  'case-collision': { severity: 'error', why: 'differs from another entry only in case or Unicode normalization' },
  'file-as-folder': { severity: 'error', why: 'is below an entry that is not a folder' },
  'control-characters': { severity: 'error', why: 'has control characters in its name' },
  'empty-name': { severity: 'error', why: 'has no name' },
  'too-deep': { severity: 'error', why: 'is nested deeper than 32 folders' },
  'link-inside': { severity: 'warning', why: 'is a link; many tools skip links when unpacking' },
  'special-mode': { severity: 'warning', why: 'is marked set-user-id or set-group-id' },
  contiguous: { severity: 'warning', why: 'has the type "contiguous file", which some tools do not support' },
  backslash: { severity: 'warning', why: 'has a backslash in its name, which separates folders on Windows' },
  'invisible-characters': { severity: 'warning', why: 'has invisible or bidirectional characters in its name' },
} as const satisfies Record<string, { severity: 'error' | 'warning'; why: string }>;
type Code = keyof typeof VIOLATIONS;
type UnsafeEntryCode = Code | OddityCode<'artifact-unsafe-entry'>;

/** Faults of an entry that depend on another one. */
const OF_SEVERAL: ReadonlySet<Code> = new Set(['duplicate-path', 'case-collision', 'file-as-folder']);
const DEPTH = 32;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;
const INVISIBLE = /[\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const DEVICES = new Set(['character-device', 'block-device', 'fifo']);

/** The violations of an archive: all of each entry, in the archive's order; errors before warnings. */
export function unsafeEntriesOf(archive: ArchiveFacts): UnsafeEntry[] {
  const found: UnsafeEntry[] = [];
  for (const { code, severity, entry, message } of odditiesFor('artifact-unsafe-entry', archive)) {
    found.push({
      path: entry ?? '',
      code,
      severity: severity === 'error' ? 'error' : 'warning',
      why: `is interpreted differently by different tools: ${message}`,
    });
  }
  const known = placesOf(archive.entries);
  const seen = new Map<string, ArchiveEntry>();
  // If readers disagree on where entries begin, some of the listed ones may not be there.
  const isUncertain = framingDiffers(archive);
  const tooLong = new Set(found.filter(({ code }) => code === 'path-too-long').map(({ path }) => path));
  for (const entry of archive.entries)
    for (const code of violationsOf(entry, known, seen)) {
      // The rest of a path that is too long is not known.
      if (code === 'too-deep' && tooLong.has(entry.path)) continue;
      if (isUncertain && OF_SEVERAL.has(code)) continue;
      found.push({ path: entry.path, code, ...VIOLATIONS[code] });
    }
  return [
    ...found.filter(({ severity }) => severity === 'error'),
    ...found.filter(({ severity }) => severity === 'warning'),
  ];
}

/** The entries that are not folders, by the key of their path. */
function placesOf(entries: readonly ArchiveEntry[]): Map<string, ArchiveEntry> {
  const places = new Map<string, ArchiveEntry>();
  for (const entry of entries) {
    if (entry.type === 'directory') continue;
    const key = keyOf(segmentsOf(entry.path));
    // A link takes precedence: paths below it lead elsewhere.
    if (entry.type === 'symlink' || !places.has(key)) places.set(key, entry);
  }
  return places;
}

/** The violations of an entry: one of its path, one of its type or place, and those of its mode and name. */
function violationsOf(
  entry: ArchiveEntry,
  known: ReadonlyMap<string, ArchiveEntry>,
  seen: Map<string, ArchiveEntry>,
): Code[] {
  const { path, type, mode } = entry;
  const segments = segmentsOf(path);
  const ofPath = pathViolation(entry, segments);
  const leavesFolder = ofPath === 'absolute-path' || ofPath === 'path-escapes';
  const codes: (Code | null)[] = [
    ofPath,
    CONTROLS.test(path) || CONTROLS.test(entry.link ?? '') ? 'control-characters' : null,
    DEVICES.has(type) ? 'device' : null,
    segments.length === 0 ? null : placeViolation(entry, segments, known, seen),
    type === 'symlink' || type === 'link' ? linkViolation(entry, segments, known) : null,
    type === 'contiguous' ? 'contiguous' : null,
    type === 'file' && (mode & 0o6000) !== 0 ? 'special-mode' : null,
    path.includes('\\') && !leavesFolder ? 'backslash' : null,
    INVISIBLE.test(path) ? 'invisible-characters' : null,
  ];
  return codes.filter((code) => code !== null);
}

function pathViolation({ path, type }: ArchiveEntry, segments: readonly string[]): Code | null {
  if (isAbsolute(path)) return 'absolute-path';
  if (segments.includes('..')) return 'path-escapes';
  if (segments.length === 0) return type === 'directory' && path !== '' ? null : 'empty-name';
  return segments.length > DEPTH ? 'too-deep' : null;
}

/** Finds the fault of an entry beside the other entries. */
function placeViolation(
  entry: ArchiveEntry,
  segments: readonly string[],
  known: ReadonlyMap<string, ArchiveEntry>,
  seen: Map<string, ArchiveEntry>,
): Code | null {
  // The paths above it are compared up to the permitted depth, which bounds the work.
  for (let depth = 1; depth < Math.min(segments.length, DEPTH + 1); depth += 1) {
    const above = known.get(keyOf(segments.slice(0, depth)));
    if (above !== undefined) return above.type === 'symlink' ? 'below-link' : 'file-as-folder';
  }
  const key = keyOf(segments);
  const before = seen.get(key);
  seen.set(key, entry);
  if (before === undefined || (before.type === 'directory' && entry.type === 'directory')) return null;
  return segmentsOf(before.path).join('/') === segments.join('/') ? 'duplicate-path' : 'case-collision';
}

/** Follows the link's target: relative to its folder for a symbolic one, to the archive's root for a hard one. */
function linkViolation(
  entry: ArchiveEntry,
  segments: readonly string[],
  known: ReadonlyMap<string, ArchiveEntry>,
): Code {
  const target = entry.link ?? '';
  if (isAbsolute(target)) return 'link-escapes';
  const at = entry.type === 'symlink' ? segments.slice(0, -1) : [];
  const steps = segmentsOf(target);
  for (const [i, step] of steps.entries()) {
    if (step !== '..') at.push(step);
    else if (at.pop() === undefined) return 'link-escapes';
    if (i < steps.length - 1 && known.get(keyOf(at))?.type === 'symlink') return 'link-chain';
  }
  return 'link-inside';
}

function isAbsolute(path: string): boolean {
  return /^([\\/]|[a-z]:)/i.test(path);
}

/** The non-empty parts of a path. A backslash separates too, as it does on Windows. */
function segmentsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
}

/** Equal for paths that collide on a file system that ignores case and Unicode normalization. */
function keyOf(segments: readonly string[]): string {
  return normalized(segments.join('/'), 'NFC').toLowerCase();
}

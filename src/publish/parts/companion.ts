import { message, safe, type SafeText } from '../../core/text/message.ts';
import { companionPath, LARGEST_COMPANION } from '../../core/registry/companion.ts';
import { AppregError } from '../../core/errors/error.ts';
import { grouped } from '../../core/text/text.ts';
import { sha256Of } from '../../store/bytes.ts';
import type { Store } from '../../store/store.ts';
import type { ChosenVersion, Companion, StoredVersion } from '../artifact.ts';
import type { PlannedStep } from '../plan.ts';
import type { RegistryLocation } from '../registry-location.ts';
import { NOTHING, type Part } from './part.ts';

/** The shape of the parts beside an artifact: the bill of materials and the attestation. */

/** The companion files of one kind that a version is to have. */
type CompanionsOf = (store: Store, version: StoredVersion) => Promise<readonly Companion[]>;

/**
 * The companion files. One that exists with the same bytes needs no step, and neither does one that describes the same
 * artifact, such as the bill of materials by another version of appreg: it is kept.
 * @throws AppregError `immutable` (exit 1) if a file describes other bytes: those of a publication that was interrupted
 */
export async function companionPart(
  { store }: RegistryLocation,
  version: ChosenVersion,
  companionsOf: CompanionsOf,
): Promise<Part> {
  if (version.path === null) return NOTHING;
  const steps: PlannedStep[] = [];
  const files: string[] = [];
  for (const companion of await companionsOf(store, version)) {
    const path = companionPath(version.path, companion.kind);
    const what = `${companion.what} of ${version.key} ${version.entry.version}`;
    files.push(path);
    const found = await foundAt(store, path, companion);
    if (found === 'same') continue;
    if (found !== 'nothing') throw occupied(path, what, found.difference);
    const content = companion.bytes === null ? { bytes: null, sign: companion.sign } : { bytes: companion.bytes };
    steps.push({ kind: 'create', role: 'companion', path, what, ...content });
  }
  return { steps, files };
}

/** The path of a companion file that is of another artifact; null if there is none. */
export async function otherCompanion(
  store: Store,
  version: StoredVersion,
  companionsOf: CompanionsOf,
): Promise<string | null> {
  for (const companion of await companionsOf(store, version)) {
    const path = companionPath(version.path, companion.kind);
    if (typeof (await foundAt(store, path, companion)) === 'object') return path;
  }
  return null;
}

async function foundAt(
  store: Store,
  target: string,
  { kind, bytes, difference }: Companion,
): Promise<'nothing' | 'same' | { difference: SafeText }> {
  const digest = await store.digest(target);
  if (digest === null) return 'nothing';
  if (bytes !== null && digest.sha256 === sha256Of(bytes)) return 'same';
  const largest = LARGEST_COMPANION[kind];
  if (digest.length > largest) return { difference: message`It has more than ${grouped(largest)} bytes.` };
  const stored = await store.read(target);
  if (stored === null) return 'nothing';
  const found = difference(stored.bytes);
  return found === null ? 'same' : { difference: found };
}

function occupied(path: string, what: string, difference: SafeText): AppregError {
  return new AppregError(
    'immutable',
    message`${path} already exists, and is not ${what}: ${safe(difference)}`,
    message`Publish your bytes as a new version. If the version was never published, and no other publisher is writing it now, delete the file.`,
    { effect: 'none' },
  );
}

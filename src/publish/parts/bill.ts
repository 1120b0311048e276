import type { ChosenVersion, Companion, StoredVersion } from '../artifact.ts';
import type { RegistryLocation } from '../registry-location.ts';
import type { Store } from '../../store/store.ts';
import { companionPart } from './companion.ts';
import type { Part } from './part.ts';

/** The bill of materials. @throws AppregError as `companionPart` does */
export function billPart(place: RegistryLocation, version: ChosenVersion): Promise<Part> {
  return companionPart(place, version, billOf);
}

/** None, if the packages of the artifact are not known. */
export async function billOf(_: Store, { artifact, entry }: StoredVersion): Promise<readonly Companion[]> {
  return artifact.companions?.(entry) ?? [];
}

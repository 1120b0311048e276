import { addVersion, validVersions } from '../../author/metadata.ts';
import type { ChosenVersion } from '../artifact.ts';
import { EditStep } from '../edit-step.ts';
import type { AppToPublish } from '../listed-app.ts';
import { type Allowances, refuseTypos } from '../refuse-typos.ts';
import { artifactsOf, factsOf } from '../registry-location.ts';
import type { Part } from './part.ts';

/** The metadata file, with the step that lists the version; null if it is listed. */
interface MetadataPart extends Part<EditStep> {
  edit: EditStep | null;
}

/**
 * The entry of a version.
 * @throws AppregError (exit 1) if the version is listed with other bytes, or is probably a mistake
 */
export function metadataPart(
  { key, metadata, metadataUrl }: AppToPublish,
  version: ChosenVersion,
  allow: Allowances = {},
): MetadataPart {
  const { entry, isIncrement } = version;
  const edit = EditStep.of(metadata, { role: 'metadata', what: `the version ${entry.version} of ${key}` }, (now) => {
    const edited = addVersion(now, entry);
    // Also on a state that another publisher has written meanwhile. An increment is planned again.
    if (edited !== null && !isIncrement) refuseTypos(key, entry, validVersions(now), allow);
    return edited;
  });
  const files = [metadata.path];
  if (edit === null) return { edit, steps: [], files };
  const { path: file, artifact } = version;
  const { content, archive } = artifact;
  const facts = factsOf(edit.to, metadataUrl);
  const artifacts = artifactsOf(facts, (added) => (added === entry.version ? { file, content, archive } : {}));
  return { edit, steps: [edit], files, facts: { after: { app: { metadata: facts, artifacts } } } };
}

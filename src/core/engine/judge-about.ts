import { readAboutFile } from '../about/about-file.ts';
import { type DocumentFacts, isMissing } from '../facts/facts.ts';
import { blockedBy } from '../facts/missing.ts';
import { isSemver } from '../registry/version.ts';
import type { VersionEntry } from '../rules/subjects.ts';
import type { JudgeContext } from './context.ts';
import type { SubjectLocation } from './location.ts';

const METADATA_UNUSABLE = blockedBy('schema-violation');

/**
 * Judges the about file of an app. Whatever is wrong with it hides nothing, and refuses no version.
 * @param versions of the metadata file; null if they are not known
 * @param place of the metadata file
 */
export function judgeAbout(
  { run, dispatcher }: JudgeContext,
  facts: DocumentFacts,
  versions: readonly VersionEntry[] | null,
  place: SubjectLocation,
): void {
  const { content, url, file, web } = facts;
  const reading = isMissing(content) ? content : readAboutFile(content);
  dispatcher.dispatch(
    'about',
    {
      reading,
      about: isMissing(reading) ? reading : (reading.about ?? blockedBy('about-invalid')),
      listed:
        versions?.flatMap(({ version }) => (version !== null && isSemver(version) ? [version] : [])) ??
        METADATA_UNUSABLE,
    },
    { ...place, document: facts, pointer: '', url, file, web, found: new Map() },
  );
  run.findings.resolvePositions(facts);
}

import type { DocumentFacts, HttpViews, Missing, ResourceKind } from '../facts/facts.ts';
import { Found } from './superseding.ts';

/** The location of a subject. `found` collects what the rules found on the same resource. */
export interface SubjectLocation {
  app: string | null;
  version: string | null;
  resource: ResourceKind;
  /** The document that `pointer` refers to. */
  document: DocumentFacts | null;
  pointer: string;
  url: string | null;
  file: string | null;
  /** The responses of the resource's URL. */
  web: HttpViews | Missing;
  found: Found;
  /** The field that names the document; absent for one that no document names. */
  listedAt?: Pick<SubjectLocation, 'document' | 'file' | 'pointer'>;
  /** The versions that the state of `--against` has as they are now: none of them may be changed. */
  published?: ReadonlySet<string>;
  /** The same by the listed text of a version, for findings on the document that are about one of its versions. */
  byVersion?: Map<string, Found>;
}

/** A location that is not inside a document: the resource, and the properties in `more`. */
export function locationOf(
  resource: ResourceKind,
  web: SubjectLocation['web'],
  more: Partial<SubjectLocation> = {},
): SubjectLocation {
  const none = { app: null, version: null, document: null, pointer: '', url: null, file: null, found: new Found() };
  return { ...none, resource, web, ...more };
}

/** The location of a document as a whole. */
export function locationOfDocument(resource: 'manifest' | 'metadata', facts: DocumentFacts): SubjectLocation {
  return locationOf(resource, facts.web, { document: facts, url: facts.url, file: facts.file });
}

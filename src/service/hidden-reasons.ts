import { rules } from '../core/rules/index.ts';

/** Why an app or a version cannot be installed: a code for programs, a message for people. */
export interface HiddenReason {
  code: string;
  message: string;
}

const WORDS: Record<string, string> = {
  // Rules that hide an app (core/engine/visibility.ts), worded for that app.
  'app-key-unsafe': 'Its key is not URL-safe.',
  'schema-violation': 'Its entry in the manifest, or its metadata file, lacks what the format requires.',
  'document-oversized': 'Its metadata file is too large or nested too deeply.',
  'document-unreadable': 'Its metadata file is not readable JSON.',
  'file-missing': 'Its metadata file is not there.',
  'file-name-differs': 'Its metadata file is listed under a name that differs in case or Unicode normalization.',
  'redirect-excessive': 'The address of its metadata file redirects too often, or in a circle.',
  'tls-untrusted': 'The certificate of the host of its metadata file is not trusted.',
  unreachable: 'Its metadata file cannot be fetched.',
  'url-port-blocked': 'The address of its metadata file has a port that browsers block.',
  'url-malformed': 'The address of its metadata file is not a usable URL.',
  'no-valid-versions': 'Its metadata file lists no valid version.',
  // Known only to the service.
  'app-withdrawn': 'It is not in the registry’s manifest any more.',
  'version-unpublished': 'No version of it is published yet.',
  'version-withdrawn': 'Its versions are not listed any more.',
  'app-unchecked': 'Its metadata file has not been checked yet.',
  'artifact-unchecked': 'Its artifacts have not been checked yet.',
  'artifact-refused': 'None of its artifacts could be verified.',
};

/** @param code id of a rule, or a code defined by the service */
export function hiddenReason(code: string): HiddenReason {
  const words = WORDS[code] ?? rules.find(({ id }) => id === code)?.why;
  return { code, message: words ?? 'The registry’s report says why.' };
}

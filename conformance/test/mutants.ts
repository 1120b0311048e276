/** What the mutation test switches off in the service, and which case has to fail then. */

export interface Mutant {
  /** What is switched off together: if one of them is left, it has the same effect. */
  rules?: readonly string[];
  checks?: readonly Check[];
  /** The case that has to fail. */
  case: string;
}

/** The checks of the service that are not rules. */
export const CHECKS = [
  'app keys',
  'semantic versions',
  'precedence',
  'form of checksums',
  'digests',
  'pinned digests',
  'errors of artifacts',
  'certificates',
  'names of certificates',
] as const;
export type Check = (typeof CHECKS)[number];

export const MUTANTS: readonly Mutant[] = [
  { rules: ['artifact-not-tar-gz'], case: 'archive-not-gzip' },
  { rules: ['artifact-unsafe-entry'], case: 'archive-path-traversal' },
  { rules: ['artifact-bomb'], case: 'archive-bomb' },
  { rules: ['artifact-checksum-mismatch'], checks: ['digests'], case: 'digest-of-another-version' },
  { rules: ['app-key-unsafe'], checks: ['app keys'], case: 'key-with-space' },
  { rules: ['version-not-semver'], checks: ['semantic versions'], case: 'version-with-v' },
  { rules: ['checksum-malformed'], checks: ['form of checksums'], case: 'checksum-uppercase' },
  { rules: ['artifact-changed'], checks: ['pinned digests'], case: 'version-replaced' },
  { rules: ['tls-untrusted'], checks: ['certificates'], case: 'certificate-expired' },
  { checks: ['names of certificates'], case: 'certificate-other-name' },
  { checks: ['precedence'], case: 'latest-by-number' },
  { checks: ['errors of artifacts'], case: 'archive-absolute-path' },
];

const SAME_EFFECT = 'What it is about cannot be read at all, so nothing is offered without the rule as well.';
const REPORTED = 'It is reported to the author, and changes nothing that is offered.';
const SILENT = 'The specification is silent, so the case is reported and not judged.';
const ATTESTATIONS = 'The specification has no attestations; no case requires them.';
const ABOUT = 'The specification has no about files; no case requires them.';
const OTHER_COMMANDS = 'It is about a workspace, a release or a service, and finds nothing in a refresh.';

/** The rules of severity error that no case can see, with the reason. All others are never errors. */
export const UNSEEN: Readonly<Record<string, string>> = {
  'document-oversized': SAME_EFFECT,
  'document-unreadable': SAME_EFFECT,
  'schema-violation': SAME_EFFECT,
  'no-valid-versions': SAME_EFFECT,
  'redirect-excessive': SAME_EFFECT,
  unreachable: SAME_EFFECT,
  'url-malformed': SAME_EFFECT,
  'url-port-blocked': SAME_EFFECT,
  'checksum-placeholder': SAME_EFFECT,
  'url-of-page': SAME_EFFECT,
  'url-placeholder': SAME_EFFECT,
  'json-duplicate-key': SILENT,
  'version-duplicate': SILENT,
  'app-withdrawn': SILENT,
  'version-withdrawn': SILENT,
  'redirect-insecure': SILENT,
  'url-insecure': SILENT,
  'compressed-copy-differs': SILENT,
  'compressed-copy-unreadable': SILENT,
  'not-modified-incorrect': SILENT,
  'artifact-trailing-data': SILENT,
  'artifact-secret': REPORTED,
  'artifact-url-shared': REPORTED,
  'addresses-differ': REPORTED,
  'browser-refused': REPORTED,
  'block-color-malformed': REPORTED,
  'cors-invalid': REPORTED,
  'cors-missing': REPORTED,
  'cors-origin-refused': REPORTED,
  'cors-revalidation-refused': REPORTED,
  'icon-embedding-refused': REPORTED,
  'icon-not-image': REPORTED,
  'icon-type-wrong': REPORTED,
  'url-signed-expiring': REPORTED,
  'attestation-identity': ATTESTATIONS,
  'attestation-invalid': ATTESTATIONS,
  'attestation-lost': ATTESTATIONS,
  'attestation-missing': ATTESTATIONS,
  'attestation-other-version': ATTESTATIONS,
  'about-invalid': ABOUT,
  'replacement-invalid': ABOUT,
  'base-url-mismatched': OTHER_COMMANDS,
  'file-missing': OTHER_COMMANDS,
  'file-name-differs': OTHER_COMMANDS,
  'app-not-listed': OTHER_COMMANDS,
  'deployment-stale': OTHER_COMMANDS,
  'service-version-withdrawn': OTHER_COMMANDS,
  'version-not-listed': OTHER_COMMANDS,
  'service-first-seen-differs': OTHER_COMMANDS,
  'service-policy': OTHER_COMMANDS,
  'service-refused': OTHER_COMMANDS,
};

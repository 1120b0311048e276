import type { ErrorCode } from './index.ts';

/** The errors of a change that a rule, or what exists already, refuses: exit code 1. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'about-invalid',
  'already-exists',
  'app-changed',
  'app-folder-invalid',
  'app-key-invalid',
  'apps-invalid',
  'artifact-changed',
  'artifact-invalid',
  'build-failed',
  'document-invalid',
  'download-failed',
  'icon-invalid',
  'icon-shared',
  'immutable',
  'license-not-allowed',
  'load-failed',
  'mirror-folder-occupied',
  'mirror-source-unusable',
  'prerelease-not-allowed',
  'read-back-mismatch',
  'read-back-missing',
  'rule-violation',
  'site-folder-occupied',
  'sources-uncommitted',
  'version-lower',
  'version-rollback',
  'version-same-bytes',
]);

/**
 * The exit code of an error. 1: refused; 2: the job could not be done; 130: ended by a signal. Separate from the
 * texts of the errors, which are only loaded to explain one.
 */
export function exitCodeOf(code: ErrorCode): 1 | 2 | 130 {
  if (code === 'interrupted') return 130;
  return REFUSALS.has(code) ? 1 : 2;
}

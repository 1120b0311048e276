import { judge } from '../core/engine/judge.ts';
import { AppregError } from '../core/errors/error.ts';
import type { DocumentFacts } from '../core/facts/facts.ts';
import { isHttpUrl } from '../core/url/url.ts';
import { message } from '../core/text/message.ts';

/**
 * The error for a manifest that cannot be used, with its first error in the words of the rule. Loaded if there is one.
 * @param seenAt ISO 8601
 * @param manifest null if there is none
 */
export function unusableManifest(target: string, seenAt: string, manifest: DocumentFacts | null): AppregError {
  const error = manifest === null ? null : firstError(target, seenAt, manifest);
  return new AppregError(
    'registry-unusable',
    message`The manifest at ${manifest?.file ?? target} cannot be used${error === null ? '.' : `: ${error}`}`,
    isHttpUrl(target)
      ? message`See its errors: appreg verify ${target} --skip-artifacts`
      : message`See its errors: appreg lint ${target}`,
  );
}

function firstError(target: string, seenAt: string, manifest: DocumentFacts): string | null {
  const { findings } = judge(
    { snapshot: 1, target, seenAt, origins: [], manifest, apps: [], orphans: [] },
    { command: manifest.file === null ? 'verify' : 'lint' },
  );
  return findings.find(({ severity, resource }) => severity === 'error' && resource === 'manifest')?.message ?? null;
}

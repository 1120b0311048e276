import type { PathCertificate } from '../facts/facts.ts';
import { shorten } from '../text/text.ts';

/** The common name in a subject, or the whole subject if it has none. */
export function commonName(subject: string): string {
  return shorten(/(?:^|, )CN=([^,]+)/.exec(subject)?.[1] ?? subject, 80);
}

/** The first certificate above the host's own that may not issue any. */
export function notAnAuthority(path: readonly PathCertificate[]): PathCertificate | null {
  return (
    path.slice(1).find(({ authority, keyUsage }) => !authority || keyUsage?.includes('keyCertSign') === false) ?? null
  );
}

import { message, type SafeText } from '../../text/message.ts';
import {
  certificateName,
  partialWildcard,
  SUPPORTED_KEYS,
  type Unsupported,
  unsupportedIn,
} from '../../http/browser-certificate.ts';
import { hostnameOf, hostOf } from '../../http/probe.ts';
import { capitalized } from '../../text/text.ts';
import type { CauseOf, Causes } from '../cause.ts';
import { interceptorOrHost } from '../owners.ts';
import { defineRule, type Problem } from '../rule.ts';

const CAUSES = {
  key: { title: 'The key of the host’s certificate has another type' },
  'key-usage': { title: 'The key usage lacks digitalSignature' },
  'authority-key': { title: 'The key of an authority has another type' },
  signature: { title: 'A certificate is signed with another algorithm' },
  name: { title: 'The certificate has the name of the host only with a wildcard in a label' },
} satisfies Causes;
type Cause = CauseOf<typeof CAUSES>;

export const tlsBrowserUnsupported = defineRule({
  id: 'tls-browser-unsupported',
  title: 'Certificate that browsers do not support',
  on: 'resource',
  needs: ['resource', 'web'],
  severity: 'warning',
  spec: '4.1',
  symptom: 'by-resource',
  owner: interceptorOrHost,
  view: 'browser',
  causes: CAUSES,
  failsWhen:
    'Node.js and other clients trust the certificate of a host, but Chromium cannot use it: a key other than RSA, P-256 or P-384 (P-521, Ed25519, Ed448, RSA-PSS), an authority with another key (P-521 works there), a signature other than RSA or ECDSA with SHA-256, SHA-384 or SHA-512, a key usage without digitalSignature, or a name of the host with a wildcard in a part of a label (`re*.example.com`). Artifacts are fetched by the service alone, and are not judged',
  why: 'Pages of the service in Chrome and Edge can neither read the JSON files nor show the icons: the TLS handshake fails, while curl and the service connect.',
  examples: {
    bad: `key=ed25519

GET /registry.json

HTTP/1.1 200 OK`,
    good: `key=ec prime256v1

GET /registry.json

HTTP/1.1 200 OK`,
  },
  check({ resource, web }): readonly Problem<Cause>[] {
    if (resource === 'artifact') return [];
    const problems = web.server.hops.flatMap(({ tls, url, status }) => {
      if (tls?.certificates === undefined || status === 0) return [];
      const { issuer, fingerprint256, certificates, names } = tls;
      const evidence = { issuer, fingerprint256 };
      const wildcard = partialWildcard(hostnameOf(url), names);
      return [
        ...(wildcard === null ? [] : [wildcardProblem(wildcard, hostOf(url), evidence)]),
        ...unsupportedIn(certificates).map((found) =>
          problem(found, hostOf(url), found.certificate === certificates[0], evidence),
        ),
      ];
    });
    const isFirst = (key: string | undefined, cause: string | undefined, i: number): boolean =>
      problems.findIndex((one) => one.dedupeKey === key && one.cause === cause) === i;
    return problems.filter(({ dedupeKey, cause }, i) => isFirst(dedupeKey, cause, i));
  },
});

const ADVICE: Record<Cause, SafeText> = {
  key: message`Get a certificate with another key: ${SUPPORTED_KEYS}.`,
  'key-usage': message`Issue the certificate with the key usage digitalSignature, or without that extension.`,
  'authority-key': message`Get a certificate from an authority whose keys browsers support: RSA, P-256, P-384 or P-521.`,
  name: message`Get a certificate with the name of the host in full, or with a wildcard as a whole label (“*.example.com”).`,
  signature: message`Get a certificate that is signed with RSA or ECDSA, and SHA-256, SHA-384 or SHA-512.`,
};

function wildcardProblem(
  name: string,
  host: string,
  evidence: Record<'issuer' | 'fingerprint256', string>,
): Problem<Cause> {
  return {
    cause: 'name',
    message: message`The certificate of ${host} matches it only with “${name}”; browsers accept a wildcard only as a whole label.`,
    advice: ADVICE.name,
    evidence: { host, name, ...evidence },
    dedupeKey: host,
  };
}

function problem(
  { cause, certificate, has }: Unsupported,
  host: string,
  isOwn: boolean,
  evidence: Record<'issuer' | 'fingerprint256', string>,
): Problem<Cause> {
  const { subject, key, signature, keyUsage } = certificate;
  return {
    cause,
    message: message`${capitalized(certificateName(certificate, host, isOwn))} has ${has}, which Chromium does not support.`,
    advice: ADVICE[cause],
    evidence: { host, certificate: subject, key, signature, keyUsage: keyUsage?.join(', ') ?? null, ...evidence },
    dedupeKey: host,
  };
}

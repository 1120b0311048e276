import { message, type SafeText } from '../text/message.ts';
import { commonName } from './certificate.ts';
import type { TlsFacts } from '../facts/facts.ts';

/** Why a certificate is not valid for the requested name or address, in words. */

const CHECK_VIRTUAL_HOST = 'or check which virtual host responds';
const SHOWN = 5;

/** @param name the host name without a port; an IPv6 address has its brackets */
export function wrongHost({ name, tls }: { name: string; tls: TlsFacts | null }): {
  message: SafeText;
  advice: SafeText;
} {
  const bare = name.replace(/^\[|\]$/g, '');
  const wanted = `${isAddress(bare) ? 'IP' : 'DNS'}:${bare}`;
  if (tls && tls.names.length > 0) {
    const near = nearMiss(bare, tls.names);
    const advice =
      near?.isReissued === true
        ? message`Reissue it with the extension subjectAltName = ${wanted}, ${CHECK_VIRTUAL_HOST}.`
        : message`Use a certificate whose subject alternative names include ${name}, ${CHECK_VIRTUAL_HOST}.`;
    return {
      message: message`the certificate is not valid for ${name}; it names ${near?.message ?? `${shown(tls.names)}.`}`,
      advice,
    };
  }
  const only =
    tls && /(?:^|, )CN=/.test(tls.subject)
      ? `only the common name (CN) “${commonName(tls.subject)}”`
      : 'nor any other name';
  return {
    message: message`the certificate has no subjectAltName for ${bare}, ${only}.`,
    advice: message`Reissue it with the extension subjectAltName = ${wanted} (browsers ignore the common name), ${CHECK_VIRTUAL_HOST}.`,
  };
}

function isAddress(name: string): boolean {
  return /^[\d.]+$|:/.test(name);
}

function shown(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A name of the certificate that is similar to the expected one, with the reason. */
function nearMiss(bare: string, names: readonly string[]): { message: string; isReissued: boolean } | null {
  if (isAddress(bare) && names.includes(bare))
    return {
      message: message`${bare} as a DNS name, but for an address, clients use entries of type IP.`,
      isReissued: true,
    };
  const host = bare.toLowerCase();
  for (const name of names) {
    const lower = name.toLowerCase();
    if (/^(?:[^:]+|\[.+\]):\d{1,5}$/.test(name) && lower.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') === host)
      return { message: message`${name}, but names in a certificate have no port.`, isReissued: true };
    if (lower.replace(/^https?:\/\//, '').replace(/[:/].*$/, '') === host && lower.includes('://'))
      return { message: message`${name}, but a name in a certificate is not a URL.`, isReissued: true };
    const star = lower.lastIndexOf('*');
    if (star === -1) continue;
    const suffix = lower.slice(star + 1);
    if (!suffix.startsWith('.') || !`.${host}`.endsWith(suffix)) continue;
    // One label in place of the star: another reason, such as a star for a whole top-level domain.
    if (lower === `*${suffix}` && /^[^.]+$/.test(host.slice(0, -suffix.length))) continue;
    return {
      message:
        lower === `*${suffix}`
          ? `${name}, but * matches exactly one label.`
          : `${name}, but * is allowed only in the first label.`,
      isReissued: false,
    };
  }
  return null;
}

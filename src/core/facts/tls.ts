import type { Count, Integer } from '../scalars.ts';

export interface TlsFacts {
  protocol: string | null;
  subject: string;
  names: string[];
  issuer: string;
  /** ISO 8601. */
  notBefore: string;
  notAfter: string;
  fingerprint256: string;
  chainLength: Count;
  /** True when it is trusted only because of an authority that Node does not ship. */
  privateCa: boolean;
  /** The source of that authority: a flag, an environment variable, or the system's store. */
  authority?: '--ca' | 'NODE_EXTRA_CA_CERTS' | 'system';
  /** The subject of that authority. */
  authorityName?: string;
  /** The number of certificates the host sent, including its own. */
  sent?: Count;
  /** The certificate above the host’s own that expires before it does; absent if there is none. */
  endsFirst?: { subject: string; notAfter: string; fingerprint256: string; root: boolean };
  /** The verified chain, the host’s own certificate first; absent if it was refused. */
  certificates?: ChainCertificate[];
  /** The path from the host’s certificate upwards, as far as it is known; present if the certificate was refused. */
  path?: PathCertificate[];
}

/** What clients have to support to use a certificate of a verified chain. */
export interface ChainCertificate {
  subject: string;
  /** Its own key: `rsa 2048`, `ec prime256v1`. */
  key: string;
  /** The algorithm that its issuer signed it with: `sha256WithRSA`; null for a root, whose signature is not checked. */
  signature: string | null;
  /** Names of RFC 5280, section 4.2.1.3; null for no restriction. */
  keyUsage: string[] | null;
}

/** A certificate on the path from a host’s own to an authority (RFC 5280). */
export interface PathCertificate {
  subject: string;
  issuer: string;
  /** ISO 8601. */
  notBefore: string;
  notAfter: string;
  fingerprint256: string;
  /** Sent by the host, or found among the locally trusted authorities. */
  from: 'host' | 'store';
  /** basicConstraints says CA:TRUE. */
  authority: boolean;
  /** The number of CA certificates that may follow below it; null for no limit. */
  pathLength: Integer | null;
  /** Names of RFC 5280, section 4.2.1.3; null for no restriction. */
  keyUsage: string[] | null;
  /** Object identifiers; null for no restriction. */
  extendedKeyUsage: string[] | null;
  /** Name constraints: `DNS:example.com`, `IP:10.0.0.0/255.0.0.0`. */
  permitted: string[];
  excluded: string[];
  /** The algorithm that its issuer signed it with: `sha256WithRSA`. */
  signature: string;
  /** Its own key: `rsa 2048`, `ec prime256v1`. */
  key: string;
  /** Whether the next certificate’s key verifies its signature; null for the last one. */
  signatureValid: boolean | null;
}

import { RsaSaPssParams } from '@peculiar/asn1-rsa';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  BasicConstraints,
  Certificate,
  type GeneralName,
  type GeneralSubtrees,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  KeyUsage,
  KeyUsageFlags,
  NameConstraints,
} from '@peculiar/asn1-x509';

/** Certificate fields that Node does not expose (RFC 5280). */
export interface CertificateExtensions {
  /** pathLenConstraint of basicConstraints: the number of CA certificates that may follow below; null for no limit. */
  pathLength: number | null;
  /** Names of RFC 5280, section 4.2.1.3; null if the extension is absent and usage is not restricted. */
  keyUsage: string[] | null;
  /** Name constraints as `DNS:example.com` and `IP:10.0.0.0/8`; other kinds by their name in RFC 5280. */
  permitted: string[];
  excluded: string[];
  /** The issuer's signature algorithm, by its object identifier if it is not a known one; null if it cannot be read. */
  signature: string | null;
}

const RSASSA_PSS = '1.2.840.113549.1.1.10';
const SIGNATURES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.2': 'md2WithRSA',
  '1.2.840.113549.1.1.4': 'md5WithRSA',
  '1.2.840.113549.1.1.5': 'sha1WithRSA',
  [RSASSA_PSS]: 'rsaPss',
  '1.2.840.113549.1.1.11': 'sha256WithRSA',
  '1.2.840.113549.1.1.12': 'sha384WithRSA',
  '1.2.840.113549.1.1.13': 'sha512WithRSA',
  '1.2.840.113549.1.1.14': 'sha224WithRSA',
  '1.2.840.10045.4.1': 'sha1WithECDSA',
  '1.2.840.10045.4.3.1': 'sha224WithECDSA',
  '1.2.840.10045.4.3.2': 'sha256WithECDSA',
  '1.2.840.10045.4.3.3': 'sha384WithECDSA',
  '1.2.840.10045.4.3.4': 'sha512WithECDSA',
  '2.16.840.1.101.3.4.3.1': 'sha224WithDSA',
  '2.16.840.1.101.3.4.3.2': 'sha256WithDSA',
  '1.3.101.112': 'ed25519',
  '1.3.101.113': 'ed448',
};
/** By the object identifier of the hash. */
const PSS_HASHES: Readonly<Record<string, { name: string; salt: number }>> = {
  '2.16.840.1.101.3.4.2.1': { name: 'sha256WithRSAPSS', salt: 32 },
  '2.16.840.1.101.3.4.2.2': { name: 'sha384WithRSAPSS', salt: 48 },
  '2.16.840.1.101.3.4.2.3': { name: 'sha512WithRSAPSS', salt: 64 },
};
const USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;
const MOST_NAMES = 50;

/** @param der a certificate; what cannot be read is treated as absent */
export function extensionsOf(der: Uint8Array): CertificateExtensions {
  const certificate = read(der, Certificate);
  const extension = <Value>(id: string, type: new () => Value): Value | null => {
    const found = certificate?.tbsCertificate.extensions?.find(({ extnID }) => extnID === id);
    return found === undefined ? null : read(found.extnValue.buffer, type);
  };
  const pathLength: unknown = extension(id_ce_basicConstraints, BasicConstraints)?.pathLenConstraint;
  const usage = extension(id_ce_keyUsage, KeyUsage)?.toNumber() ?? null;
  const constraints = extension(id_ce_nameConstraints, NameConstraints);
  return {
    // The package returns a number of more than 32 bits as a text: no chain is that long.
    pathLength: typeof pathLength === 'number' ? pathLength : null,
    keyUsage: usage === null ? null : USAGES.filter((name) => (usage & KeyUsageFlags[name]) !== 0),
    permitted: namesIn(constraints?.permittedSubtrees),
    excluded: namesIn(constraints?.excludedSubtrees),
    signature: certificate === null ? null : signatureName(certificate.signatureAlgorithm),
  };
}

/** Null if the bytes are not of that type: the host chose them, and OpenSSL does not read all extensions. */
function read<Value>(der: ArrayBuffer | Uint8Array, type: new () => Value): Value | null {
  try {
    return AsnConvert.parse(der, type);
  } catch {
    return null;
  }
}

function signatureName({ algorithm, parameters }: AlgorithmIdentifier): string {
  const name = SIGNATURES[algorithm] ?? algorithm;
  return algorithm === RSASSA_PSS && parameters ? (usualPss(parameters) ?? name) : name;
}

/** The name of RSASSA-PSS with one of the usual sets of parameters (RFC 4055): one hash, with a salt of its length. */
function usualPss(parameters: ArrayBuffer): string | null {
  const pss = read(parameters, RsaSaPssParams);
  const mask = pss?.maskGenAlgorithm.parameters;
  const maskHash = mask ? read(mask, AlgorithmIdentifier) : null;
  const known = PSS_HASHES[pss?.hashAlgorithm.algorithm ?? ''];
  return known !== undefined && maskHash?.algorithm === pss?.hashAlgorithm.algorithm && pss?.saltLength === known.salt
    ? known.name
    : null;
}

function namesIn(subtrees: GeneralSubtrees | undefined): string[] {
  return Array.from(subtrees ?? [], ({ base }) => nameOf(base)).slice(0, MOST_NAMES);
}

function nameOf(name: GeneralName): string {
  if (name.dNSName !== undefined) return `DNS:${name.dNSName.slice(0, 253)}`;
  if (name.iPAddress !== undefined) return `IP:${name.iPAddress}`;
  const kind = Object.entries(name).find(([, value]) => value !== undefined)?.[0];
  return `name of kind ${kind ?? 'unknown'}`;
}

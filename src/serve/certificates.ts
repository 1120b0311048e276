import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Names and addresses that the local CA may certify: those not used by public hosts (RFC 6761, 1918, 4193 …). */
const LOCAL_NAMES = ['localhost', 'test', 'local', 'internal', 'home.arpa'];
const LOCAL_NETWORKS = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/** True if the local CA may certify this name or address. */
export function isLocal(host: string): boolean {
  if (isIP(host) === 0) {
    const name = host.toLowerCase();
    return LOCAL_NAMES.some((local) => name === local || name.endsWith(`.${local}`));
  }
  const networks = new BlockList();
  for (const network of LOCAL_NETWORKS) {
    const [address = '', bits] = network.split('/');
    networks.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return networks.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

const EC = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };

/** The time in which a certificate is valid. */
export interface Period {
  notBefore: Date;
  notAfter: Date;
}

/** A new private key (PEM, PKCS #8). */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: EC.namedCurve });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/**
 * The certificate (PEM) of a local CA. It is constrained to local names and addresses, so that a stolen key cannot be
 * used against any host on the internet.
 */
export async function makeAuthority(keyPem: string, name: string, period: Period): Promise<string> {
  const x509 = await library();
  const keys = await keyPair(keyPem);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: [{ O: ['appreg'] }, { CN: [name] }],
    ...period,
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await nameConstraints(),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** A key and a certificate (PEM) for a server with the given names and addresses, signed by the CA. */
export async function makeLeaf(
  authority: { key: string; cert: string },
  hosts: readonly string[],
  period: Period,
): Promise<{ key: string; cert: string }> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.cert);
  const key = makeKey();
  const keys = await keyPair(key);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: [{ O: ['appreg'] }, { CN: ['appreg local server'] }],
    issuer: issuer.subjectName,
    ...period,
    publicKey: keys.publicKey,
    signingKey: (await keyPair(authority.key)).privateKey,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { key, cert: `${certificate.toString('pem')}\n` };
}

/** Loaded on demand: it is large. */
async function library(): Promise<typeof import('@peculiar/x509')> {
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(globalThis.crypto);
  return x509;
}

/** 127 random bits: positive and unique. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}

async function keyPair(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const key = createPrivateKey(pem);
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(pem).export({ format: 'der', type: 'spki' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, EC, true, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, EC, true, ['verify']),
  };
}

async function nameConstraints(): Promise<import('@peculiar/x509').Extension> {
  const { Extension } = await import('@peculiar/x509');
  const { AsnConvert } = await import('@peculiar/asn1-schema');
  const asn1 = await import('@peculiar/asn1-x509');
  const names = [...LOCAL_NAMES.map((dNSName) => ({ dNSName })), ...LOCAL_NETWORKS.map((iPAddress) => ({ iPAddress }))];
  const permittedSubtrees = new asn1.GeneralSubtrees(
    names.map((name) => new asn1.GeneralSubtree({ base: new asn1.GeneralName(name) })),
  );
  return new Extension(
    asn1.id_ce_nameConstraints,
    true,
    AsnConvert.serialize(new asn1.NameConstraints({ permittedSubtrees })),
  );
}

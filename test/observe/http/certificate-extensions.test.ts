import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  NameConstraints,
} from '@peculiar/asn1-x509';
import { describe, expect, test } from 'vitest';
import { extensionsOf } from '../../../src/observe/http/certificate-extensions.ts';
import { certificates } from '../../support/fault-certificates.ts';

const GOOD = new X509Certificate(certificates().get('good').cert).raw;

/** A certificate with one extension; its signature does not matter here. @param value DER */
function withExtension(id: string, value: ArrayBuffer | Uint8Array): Uint8Array {
  const certificate = AsnConvert.parse(GOOD, Certificate);
  certificate.tbsCertificate.extensions = new Extensions([
    new Extension({ extnID: id, extnValue: new OctetString(value) }),
  ]);
  return new Uint8Array(AsnConvert.serialize(certificate));
}

test('Every root certificate of Node can be read', () => {
  const read = rootCertificates.map((pem) => extensionsOf(new X509Certificate(pem).raw));
  expect(read.filter(({ signature }) => !/^sha\d+With(RSA|ECDSA)$/.test(signature ?? ''))).toEqual([]);
  expect(read.filter(({ keyUsage }) => keyUsage !== null && !keyUsage.includes('keyCertSign'))).toEqual([]);
});

test('The names of name constraints are written by their kind', () => {
  const names: Partial<GeneralName>[] = [
    { dNSName: 'example.com' },
    { iPAddress: '10.0.0.0/8' },
    { iPAddress: '2001:db8::/32' },
    { rfc822Name: 'example.com' },
  ];
  const permittedSubtrees = new GeneralSubtrees(
    names.map((name) => new GeneralSubtree({ base: new GeneralName(name) })),
  );
  const der = withExtension(id_ce_nameConstraints, AsnConvert.serialize(new NameConstraints({ permittedSubtrees })));
  expect(extensionsOf(der)).toMatchObject({
    permitted: ['DNS:example.com', 'IP:10.0.0.0/8', 'IP:2001:db8::/32', 'name of kind rfc822Name'],
    excluded: [],
  });
});

test('The path length is a number, also 0', () => {
  const constraints = new BasicConstraints({ cA: true, pathLenConstraint: 0 });
  expect(extensionsOf(withExtension(id_ce_basicConstraints, AsnConvert.serialize(constraints))).pathLength).toBe(0);
});

describe('what cannot be read is treated as absent', () => {
  const ABSENT = { pathLength: null, keyUsage: null, permitted: [], excluded: [] };

  test.each([id_ce_basicConstraints, id_ce_keyUsage, id_ce_nameConstraints])('in the extension %s', (id) => {
    for (const bytes of [[], [0x30, 0x82], [0x0c, 0x01, 0x41], [0xff, 0xff, 0xff]]) {
      const read = extensionsOf(withExtension(id, Uint8Array.from(bytes)));
      expect(read).toMatchObject(ABSENT);
      expect(read.signature).toBe('sha256WithECDSA');
    }
  });

  test('a path length above 32 bits limits no chain', () => {
    const der = Uint8Array.from([0x30, 0x0b, 0x01, 0x01, 0xff, 0x02, 0x06, 0x7f, 0, 0, 0, 0, 0]);
    expect(extensionsOf(withExtension(id_ce_basicConstraints, der)).pathLength).toBeNull();
  });

  test('bytes that are not a certificate', () => {
    expect(extensionsOf(Uint8Array.from([0x30, 0x00]))).toEqual({ ...ABSENT, signature: null });
    expect(extensionsOf(GOOD.subarray(0, 100))).toEqual({ ...ABSENT, signature: null });
  });
});

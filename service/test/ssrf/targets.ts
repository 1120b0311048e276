/** Hosts that a tenant or a registry may name, and none of which the service may connect to. */

/** The addresses of hosts that may be requested. All others of this network are decoys. */
export const PUBLIC_V4 = '93.184.216.34';
export const PUBLIC_V6 = '2a00:1450:4001::34';

/** Addresses of each kind that is not public. */
export const INTERNAL = [
  '127.0.0.1',
  '127.9.8.7',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '169.254.169.254',
  '192.0.0.8',
  '198.18.0.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'fd12:3456::1',
  'fec0::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::1',
  '2002:a9fe:a9fe::1',
  '2001:0:5ef5:79fb:0:59c:80ff:fffe',
  '2001:db8::1',
  '100::1',
];

/** Other spellings that a URL may have of 127.0.0.1, 169.254.169.254 and ::1. */
const SPELLINGS = [
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  'user@127.0.0.1',
  'public.test@127.0.0.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'any.localhost',
];

/** The addresses of names: all of an entry, or in turn, one for each query, and then the last one. */
export const RECORDS: Record<string, { all: readonly string[] } | { inTurn: readonly string[] }> = {
  'public.test': { all: [PUBLIC_V4, PUBLIC_V6] },
  'control.test': { all: [PUBLIC_V4] },
  localhost: { all: ['127.0.0.1', '::1'] },
  'any.localhost': { all: ['127.0.0.1'] },
};

const names = INTERNAL.map((address, i) => {
  const name = `single${i}.internal.test`;
  RECORDS[name] = { all: [address] };
  return name;
});
for (const [i, address] of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd12:3456::1'].entries()) {
  for (const [name, all] of Object.entries({
    [`after${i}.internal.test`]: [PUBLIC_V4, address],
    [`before${i}.internal.test`]: [address, PUBLIC_V4],
    [`dual${i}.internal.test`]: [PUBLIC_V6, PUBLIC_V4, address],
  })) {
    RECORDS[name] = { all };
    names.push(name);
  }
}

/** Hosts as they are written in URLs. Those that resolve by a name are last, with and without a trailing dot. */
export const TARGETS: readonly string[] = [
  ...INTERNAL.map((address) => (address.includes(':') ? `[${address}]` : address)),
  ...SPELLINGS,
  ...names,
  `${names[0]}.`,
];

/** The public address for one query, then an internal one. */
function rebinding(name: string, address: string): string {
  RECORDS[name] = { inTurn: [PUBLIC_V4, address] };
  return name;
}

/** Names that are public at the first query, each for one place. */
export const REBINDING = {
  registry: rebinding('rebinding-registry.test', '127.0.0.1'),
  redirected: rebinding('rebinding-redirected.test', '10.0.0.1'),
  icon: rebinding('rebinding-icon.test', '169.254.169.254'),
  metadata: rebinding('rebinding-metadata.test', '127.0.0.1'),
  artifact: rebinding('rebinding-artifact.test', '192.168.1.1'),
  webhook: rebinding('rebinding-webhook.test', '127.0.0.1'),
};

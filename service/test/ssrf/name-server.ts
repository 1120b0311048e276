import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { addressBytes } from '../../src/config/ip-address.ts';
import { RECORDS } from './targets.ts';

/** A name server (RFC 1035) for the names of this network. */

const [TYPE_A, TYPE_AAAA] = [1, 28];

export interface NameServer {
  /** The addresses that were given for each name, in turn. */
  answers: Map<string, string[]>;
}

export async function startNameServer(): Promise<NameServer> {
  const answers = new Map<string, string[]>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => socket.send(answerTo(query, answers), from.port, from.address));
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  return { answers };
}

function answerTo(query: Buffer, answers: NameServer['answers']): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = query.readUInt16BE(at + 1);
  const name = labels.join('.').toLowerCase();
  const found = addressesOf(name, type, answers.get(name)?.length ?? 0);
  if (type === TYPE_A || found.length > 0) answers.set(name, [...(answers.get(name) ?? []), ...found]);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response with recursion; code 3 for an unknown name.
  header.writeUInt16BE(0x8180 | (RECORDS[name] === undefined ? 3 : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  return Buffer.concat([header, query.subarray(12, at + 5), ...found.map((address) => record(type, address))]);
}

/** @param count how many addresses of the name were given before */
function addressesOf(name: string, type: number, count: number): string[] {
  const entry = RECORDS[name];
  if (entry === undefined) return [];
  const ofType = (address: string): boolean => isIPv6(address) === (type === TYPE_AAAA);
  if ('all' in entry) return entry.all.filter(ofType);
  return type === TYPE_A ? [entry.inTurn[Math.min(count, entry.inTurn.length - 1)]!] : [];
}

/** A resource record without a lifetime, whose name is that of the question. */
function record(type: number, address: string): Buffer {
  const bytes = addressBytes(address)!;
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

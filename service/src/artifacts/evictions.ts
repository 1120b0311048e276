import { type StoredFile } from '../db/artifacts.ts';

/**
 * Which files are dropped to make room. Pure.
 *
 * Every organization has the same share of the limit, and is charged for the files of the registries that it subscribes
 * to; a file of several organizations is charged to them in equal parts. A last copy is a file that a version offers
 * and whose host no longer has it: it cannot be fetched again.
 */

/** A file for which room is made. */
interface IncomingFile {
  sha256: string;
  bytes: number;
  owners: readonly string[];
  /** True if files that versions offer may be dropped for it. */
  mayDropOffered: boolean;
}

interface Evictions {
  drop: StoredFile[];
  /** True if there is room then. */
  fits: boolean;
}

/** Bytes that each organization is charged for. */
type Usage = Map<string, number>;

/** The part of the limit above which last copies leave too little for other files. */
const FULL = 0.95;
/** Bytes: sums of shares are not exact. */
const TOLERANCE = 1e-3;

/**
 * Drops, in this order and no more than needed:
 * 1. files that no version offers, or that belong to no organization;
 * 2. files that their hosts still have, of the organization that uses most. If the file's own organizations exceed their
 *    share, those of others within theirs are not dropped for it;
 * 3. last copies of the file's own organizations, if their last copies alone exceed their share.
 * So a last copy is never dropped for another organization. Within each step, those that were not used for the longest
 * time are dropped first.
 * @returns nothing to drop if there is no room even then
 */
export function evictionsFor(files: readonly StoredFile[], limit: number, incoming: IncomingFile): Evictions {
  const others = files.filter(({ sha256 }) => sha256 !== incoming.sha256);
  const share = fairShare(others, limit, incoming.owners);
  const room = openRoom(others, limit - incoming.bytes);
  room.drop(unneeded(others));
  if (incoming.mayDropOffered) {
    const usage = usageOf([...others, incoming]);
    const isOverShare = incoming.owners.every((owner) => over(usage, owner, share));
    const isOwn = ({ owners }: StoredFile): boolean => owners.every((owner) => incoming.owners.includes(owner));
    const mayDrop = (file: StoredFile): boolean => !isOverShare || isOwn(file) || leastUsage(file, usage) > share;
    dropServed(others, usage, room, mayDrop);
    dropLastCopies(others.filter(isOwn), others, share, room);
  }
  return room.fits() ? { drop: room.dropped, fits: true } : { drop: [], fits: false };
}

/**
 * Chooses the files to drop after the limit was lowered: first what no version offers, then what the hosts still have,
 * then the last copies of organizations whose last copies alone exceed their share.
 */
export function evictionsToLimit(files: readonly StoredFile[], limit: number): Evictions {
  const room = openRoom(files, limit);
  room.drop(unneeded(files));
  dropServed(files, usageOf(files), room, () => true);
  dropLastCopies(files, files, fairShare(files, limit), room);
  return { drop: room.dropped, fits: room.fits() };
}

/** Figures of a store for operators. */
export interface StoreFigures {
  files: number;
  bytes: number;
  limit: number;
  lastCopies: number;
  lastCopyBytes: number;
  /** Last copies of organizations whose last copies alone exceed their share: the next file of theirs drops some. */
  lastCopiesAtRisk: number;
  /** True if last copies leave nothing of the limit for other files. */
  isFull: boolean;
}

export function storeFigures(files: readonly StoredFile[], limit: number): StoreFigures {
  const last = files.filter(isLastCopy);
  const usage = usageOf(last);
  const share = fairShare(files, limit);
  const lastCopyBytes = bytesOf(last);
  return {
    files: files.length,
    bytes: bytesOf(files),
    limit,
    lastCopies: last.length,
    lastCopyBytes,
    lastCopiesAtRisk: last.filter(({ owners }) => owners.every((owner) => over(usage, owner, share))).length,
    isFull: lastCopyBytes >= FULL * limit,
  };
}

function bytesOf(files: readonly StoredFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The bytes that each organization may use. */
function fairShare(files: readonly StoredFile[], limit: number, owners: readonly string[] = []): number {
  const organizations = new Set([...owners, ...files.flatMap((file) => file.owners)]);
  return limit / Math.max(1, organizations.size);
}

export function isLastCopy({ last, offered, owners }: StoredFile): boolean {
  return last && offered && owners.length > 0;
}

interface Room {
  dropped: StoredFile[];
  fits(): boolean;
  /** Drops the files in order, until there is room. */
  drop(files: Iterable<StoredFile>): void;
}

function openRoom(files: readonly StoredFile[], limit: number): Room {
  let total = bytesOf(files);
  const dropped: StoredFile[] = [];
  const fits = (): boolean => total <= limit;
  return {
    dropped,
    fits,
    drop(some) {
      if (fits()) return;
      for (const file of some) {
        dropped.push(file);
        total -= file.bytes;
        if (fits()) return;
      }
    },
  };
}

/** Those whose last copies would be lost come last. */
function unneeded(files: readonly StoredFile[]): StoredFile[] {
  const some = files.filter(({ stored, offered, owners }) => stored && (!offered || owners.length === 0));
  return some.toSorted((a, b) => Number(a.last) - Number(b.last) || a.usedAt - b.usedAt);
}

/** Drops files that their hosts still have, each time of the organizations that use most. */
function dropServed(
  files: readonly StoredFile[],
  usage: Usage,
  room: Room,
  mayDrop: (file: StoredFile) => boolean,
): void {
  const served = files.filter(({ stored, offered, last, owners }) => stored && offered && !last && owners.length > 0);
  const groups = new Map<string, StoredFile[]>();
  for (const file of served.toSorted((a, b) => b.usedAt - a.usedAt)) {
    const key = ownersKey(file);
    const group = groups.get(key);
    if (group) group.push(file);
    else groups.set(key, [file]);
  }
  while (!room.fits()) {
    const next = [...groups.values()].flatMap((group) => group.slice(-1)).filter(mayDrop);
    const [file] = next.toSorted((a, b) => leastUsage(b, usage) - leastUsage(a, usage) || a.usedAt - b.usedAt);
    if (file === undefined) return;
    groups.get(ownersKey(file))?.pop();
    room.drop([file]);
    charge(usage, file, -1);
  }
}

function ownersKey({ owners }: StoredFile): string {
  return owners.toSorted().join();
}

/**
 * @param files that may be dropped
 * @param all by which the organizations are charged
 */
function dropLastCopies(files: readonly StoredFile[], all: readonly StoredFile[], share: number, room: Room): void {
  const usage = usageOf(all.filter(isLastCopy));
  const some = files.filter((file) => file.stored && isLastCopy(file)).toSorted((a, b) => a.usedAt - b.usedAt);
  for (const file of some) {
    if (room.fits()) return;
    if (!file.owners.every((owner) => over(usage, owner, share))) continue;
    room.drop([file]);
    charge(usage, file, -1);
  }
}

function usageOf(files: Iterable<Pick<StoredFile, 'bytes' | 'owners'>>): Usage {
  const usage: Usage = new Map();
  for (const file of files) charge(usage, file, 1);
  return usage;
}

function charge(usage: Usage, { bytes, owners }: Pick<StoredFile, 'bytes' | 'owners'>, sign: 1 | -1): void {
  for (const owner of owners) usage.set(owner, (usage.get(owner) ?? 0) + (sign * bytes) / owners.length);
}

function over(usage: Usage, owner: string, share: number): boolean {
  return (usage.get(owner) ?? 0) > share + TOLERANCE;
}

/** Of its organizations, the bytes of the one that uses least. */
function leastUsage({ owners }: StoredFile, usage: Usage): number {
  return Math.min(...owners.map((owner) => usage.get(owner) ?? 0));
}

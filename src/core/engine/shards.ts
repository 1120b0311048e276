import { message, type SafeText } from '../text/message.ts';
import type { AppFacts, HostFacts, Shard, Snapshot } from '../facts/facts.ts';
import { AppregError } from '../errors/error.ts';
import { manifestAppsIn } from '../registry/manifest.ts';

/** Splits the apps of a registry among several runs, and joins their facts. */

/** The shard of an app, from 1. It depends only on the key, so that added and removed apps move no other app. */
export function shardOf(key: string, of: number): number {
  // FNV-1a with the MurmurHash3 finalizer, since the low bits of similar keys would be too similar without it.
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) % of) + 1;
}

/** Saved facts, and the name of their file as the user gave it. */
export interface NamedSnapshot {
  file: string;
  snapshot: Snapshot;
}

/**
 * Joins the facts of all shards into those of one run. A missing shard makes them incomplete. A single file is returned
 * unchanged. Throws `AppregError` if the facts do not belong to one registry and one division.
 */
export function joinShards(parts: readonly NamedSnapshot[]): Snapshot {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('no facts to join');
  if (others.length === 0) return first.snapshot;
  const shards = shardsOfOneRun(first, parts).toSorted((a, b) => a.shard.index - b.shard.index);
  refuseOverlap(shards);
  const { snapshot } = shards[0] ?? first;
  const apps = inOrderOf(snapshot, new Map(shards.flatMap((part) => part.snapshot.apps.map((app) => [app.key, app]))));
  const { shard: _, ...whole } = snapshot;
  return {
    ...whole,
    // Facts are judged at the time of the latest one.
    seenAt: shards.map((part) => part.snapshot.seenAt).reduce((a, b) => (a > b ? a : b)),
    apps,
    ...hostsOf(shards),
    ...againstOf(shards),
    incomplete: whyIncomplete(shards),
  };
}

/** The facts of one shard. */
interface NamedShard extends NamedSnapshot {
  shard: Shard;
}

/** Combines the observations of each host; each shard had a request window of its own. */
function hostsOf(shards: readonly NamedShard[]): Pick<Snapshot, 'hosts'> {
  const hosts = new Map<string, HostFacts>();
  for (const facts of shards.flatMap(({ snapshot }) => snapshot.hosts ?? [])) {
    const known = hosts.get(facts.origin);
    hosts.set(facts.origin, known ? joinHosts(known, facts) : facts);
  }
  return hosts.size === 0 ? {} : { hosts: [...hosts.values()] };
}

/** The compared state, of each app as its shard completed it. */
function againstOf(shards: readonly NamedShard[]): Pick<Snapshot, 'against'> {
  const [state] = shards.flatMap(({ snapshot: { against } }) => against ?? []);
  if (state === undefined) return {};
  const completed = new Map(
    shards.flatMap(({ snapshot: { against, apps } }) => {
      const observed = new Set(apps.map(({ key }) => key));
      return (against?.apps ?? []).filter(({ key }) => observed.has(key)).map((app) => [app.key, app] as const);
    }),
  );
  return { against: { ...state, apps: state.apps.map((app) => completed.get(app.key) ?? app) } };
}

function joinHosts(one: HostFacts, other: HostFacts): HostFacts {
  const load = new Map(one.load.map((count) => [count.inFlight, { ...count }]));
  for (const { inFlight, answered, refused } of other.load) {
    const known = load.get(inFlight) ?? { inFlight, answered: 0, refused: 0 };
    load.set(inFlight, { inFlight, answered: known.answered + answered, refused: known.refused + refused });
  }
  const interval = Math.max(one.interval ?? 0, other.interval ?? 0);
  return {
    origin: one.origin,
    load: [...load.values()].sort((a, b) => a.inFlight - b.inFlight),
    refusals: [...new Set([...one.refusals, ...other.refusals])].sort(),
    ...(interval > 0 ? { interval } : {}),
  };
}

/** The parts, each with its shard. @throws AppregError if one is not a shard of the same run as the first one */
function shardsOfOneRun(first: NamedSnapshot, parts: readonly NamedSnapshot[]): NamedShard[] {
  const firstShard = asShard(first);
  return parts.map((part) => {
    const shard = asShard(part);
    refuseOtherRun(shard, firstShard);
    return shard;
  });
}

function asShard({ file, snapshot }: NamedSnapshot): NamedShard {
  if (snapshot.shard) return { file, snapshot, shard: snapshot.shard };
  throw mismatch(
    message`${file} contains the facts of a whole run, not of a shard.`,
    message`Judge it by itself. Only files saved by appreg verify --shard i/n can be judged together.`,
  );
}

function refuseOtherRun({ file, snapshot, shard }: NamedShard, other: NamedShard): void {
  const first = other.file;
  if (snapshot.target !== other.snapshot.target)
    throw mismatch(
      message`${file} contains facts about ${snapshot.target}, ${first} about ${other.snapshot.target}.`,
      message`Use the shards of one run.`,
    );
  if (shard.of !== other.shard.of)
    throw mismatch(
      message`${file} is from a run with ${shard.of} shards, ${first} from one with ${other.shard.of}.`,
      message`Use the shards of one run.`,
    );
  if (snapshot.origins.join(' ') !== other.snapshot.origins.join(' '))
    throw mismatch(
      message`${file} and ${first} were checked with different origins.`,
      message`Use the same --origin for each shard.`,
    );
  if (JSON.stringify(snapshot.attestations) !== JSON.stringify(other.snapshot.attestations))
    throw mismatch(
      message`${file} and ${first} were checked with different requirements for attestations.`,
      message`Use the same --attestations and signer for each shard.`,
    );
}

function refuseOverlap(sorted: readonly NamedShard[]): void {
  const owners = new Map<string, string>();
  for (const [i, { file, snapshot, shard }] of sorted.entries()) {
    const before = sorted[i - 1];
    const { index, of } = shard;
    if (before?.shard.index === index)
      throw mismatch(
        message`${before.file} and ${file} are both shard ${index} of ${of}.`,
        message`Specify each shard once.`,
      );
    for (const { key } of snapshot.apps) {
      const owner = owners.get(key);
      if (owner !== undefined)
        throw mismatch(message`The app “${key}” is in both ${owner} and ${file}.`, message`Use the shards of one run.`);
      owners.set(key, file);
    }
  }
}

function mismatch(summary: SafeText, hint: SafeText): AppregError {
  return new AppregError('shards-mismatch', summary, hint);
}

/** The apps in the order of the manifest, followed by those that it does not list. */
function inOrderOf({ manifest }: Snapshot, apps: Map<string, AppFacts>): AppFacts[] {
  const ordered: AppFacts[] = [];
  for (const key of Object.keys(manifestAppsIn(manifest.content) ?? {})) {
    const app = apps.get(key);
    if (app) ordered.push(app);
    apps.delete(key);
  }
  return [...ordered, ...apps.values()];
}

/** The reasons why the shards together do not cover everything, or null. */
function whyIncomplete(shards: readonly NamedShard[]): string | null {
  const reasons: string[] = [];
  const of = shards[0]?.shard.of ?? 0;
  const present = new Set(shards.map(({ shard }) => shard.index));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !present.has(index));
  if (missing.length > 0)
    reasons.push(
      `${missing.length === 1 ? 'shard' : 'shards'} ${missing.slice(0, 10).join(', ')}${missing.length > 10 ? ', …' : ''} of ${of} ${missing.length === 1 ? 'is' : 'are'} missing`,
    );
  for (const { snapshot, shard } of shards)
    if (snapshot.incomplete) reasons.push(`shard ${shard.index}: ${snapshot.incomplete}`);
  const texts = new Set(shards.map(({ snapshot }) => JSON.stringify(snapshot.manifest.content)));
  if (texts.size > 1) reasons.push('the manifest changed between the runs of the shards');
  const observed = shards.reduce((sum, { snapshot }) => sum + snapshot.apps.length, 0);
  const disagree = shards.some(({ snapshot, shard }) => shard.elsewhere + snapshot.apps.length !== observed);
  if (reasons.length === 0 && disagree) reasons.push('the shards were run with different --app options');
  return reasons.length === 0 ? null : reasons.join('; ');
}
